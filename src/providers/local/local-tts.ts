import { samplesIn } from '../../audio/index.ts'
import { sentenceTts, type PartContext, type SpokenChunk, type Tts, type Voice } from '../../parts/index.ts'
import { OptionError, type Scope } from '../../scope/index.ts'
import { ttsEngines, type Speak, type TtsEngine } from './engine.ts'
import { LocalError } from './errors.ts'
import { espeakEngine } from './espeak-engine.ts'
import { findProgram } from './find-program.ts'
import { findPackage } from './packages.ts'
import { programEngine } from './program-engine.ts'
import { remembered } from './remembered.ts'

export interface LocalTtsOptions {
  /** `local-tts` unless set. */
  readonly name?: string
  /** Default: `espeak-wasm`. The programs `flite` and `espeak-ng` are used only if chosen here. */
  readonly engine?: TtsEngine
  /** The engine's own name for it: `slt` of flite, `en-us` of espeak, unless set. */
  readonly voice?: string
  /** How fast it speaks: 1 unless set, 1.2 is a fifth faster. */
  readonly speed?: number
  /** How long one sentence may take to make: 10 s unless set. */
  readonly timeout?: number
}

const PACKAGE = '@echogarden/espeak-ng-emscripten'
/** Length of a frame: short enough that little is made in vain, long enough to be few. */
const FRAME = 100

/**
 * Speaks on this machine, without a key: with the optional package `@echogarden/espeak-ng-emscripten`, or with the
 * program `flite` or `espeak-ng` if `engine` says so. The programs in PATH never change an agent's voice by themselves.
 */
export class LocalTts implements Tts {
  readonly name: string
  readonly sampleRate = 16_000
  readonly #options: LocalTtsOptions
  readonly #speed: number
  readonly #timeout: number

  constructor(options: LocalTtsOptions = {}) {
    const { name = 'local-tts', engine, speed = 1, timeout = 10_000 } = options
    this.name = name
    this.#options = options
    this.#speed = speed
    this.#timeout = timeout
    if (engine !== undefined && !ttsEngines.includes(engine))
      throw new OptionError(`${name}: there is no engine '${engine}'; there are: ${ttsEngines.join(', ')}`)
    if (!(speed >= 0.5 && speed <= 3))
      throw new OptionError(`${name}: speed must be from 0.5 to 3; it is ${speed}`)
    if (!(Number.isFinite(timeout) && timeout > 0))
      throw new OptionError(`${name}: timeout must be a finite number above 0; it is ${timeout}`)
  }

  async open(context: PartContext): Promise<Voice> {
    const { name, sampleRate } = this
    const speak = remembered(await this.#engine(context.scope))
    return sentenceTts({
      name,
      sampleRate,
      synthesise: (sentence, signal) => chunksOf(speak, sentence, signal),
    }).open(context)
  }

  async #engine(scope: Scope<string>): Promise<Speak> {
    const { engine = 'espeak-wasm', voice } = this.#options
    const options = { voice, speed: this.#speed, timeout: this.#timeout }
    if (engine === 'espeak-wasm') {
      if (findPackage(PACKAGE) === undefined)
        throw missing(`${this.name} needs the package ${PACKAGE}, which is not installed`)
      return espeakEngine(scope, options)
    }
    const path = await scope.until(findProgram(engine))
    if (path === undefined) throw missing(`${this.name} needs the program ${engine}, which is not in PATH`)
    return programEngine(scope, engine, path, options)
  }
}

function missing(what: string): LocalError {
  return new LocalError(
    'ENGINE_MISSING',
    `${what}. Install the package: npm install ${PACKAGE} (GPL-3.0), or install the program flite or espeak-ng ` +
      `and choose it: new LocalTts({ engine: 'flite' })`,
  )
}

async function* chunksOf(speak: Speak, sentence: string, signal: AbortSignal): AsyncGenerator<SpokenChunk> {
  const { samples, words = [] } = await speak(sentence, signal)
  const size = samplesIn(FRAME, 16_000)
  for (let at = 0; at < samples.length; at += size) {
    signal.throwIfAborted()
    const frame = { samples: samples.subarray(at, at + size), sampleRate: 16_000 } as const
    const last = at + size >= samples.length
    const begun = words.filter(({ start }) => start >= at / 16 && (last || start < (at + size) / 16))
    yield begun.length > 0 ? { frame, words: begun } : { frame }
  }
}
