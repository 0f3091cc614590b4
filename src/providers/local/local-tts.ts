import { samplesIn } from '../../audio/index.ts'
import { sentenceTts, type PartContext, type SpokenChunk, type Tts, type Voice } from '../../parts/index.ts'
import { OptionError, type Scope } from '../../scope/index.ts'
import { ttsEngines, type Speak, type TtsEngine } from './engine.ts'
import { LocalError } from './errors.ts'
import { espeakEngine } from './espeak-engine.ts'
import { findProgram } from './find-program.ts'
import { findPackage, needPackage } from './packages.ts'
import { programEngine } from './program-engine.ts'
import { remembered } from './remembered.ts'

export interface LocalTtsOptions {
  /** `local-tts` unless set. */
  readonly name?: string
  /** The first of `flite`, `espeak-ng` and `espeak-wasm` that is there, unless set. */
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
 * Speaks on this machine, without a key: by the program `flite` or `espeak-ng` if it is installed, else by the optional
 * package `@echogarden/espeak-ng-emscripten`.
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
    const { engine, voice } = this.#options
    const options = { voice, speed: this.#speed, timeout: this.#timeout }
    for (const program of ['flite', 'espeak-ng'] as const) {
      if (engine !== undefined && engine !== program) continue
      const path = await scope.until(findProgram(program))
      if (path !== undefined) return programEngine(scope, program, path, options)
      if (engine === program) throw missing(`${this.name} needs the program ${program}, which is not in PATH`)
    }
    if (engine === 'espeak-wasm') needPackage(PACKAGE, this.name)
    if (findPackage(PACKAGE) === undefined) throw missing(`${this.name} has nothing to speak with`)
    return espeakEngine(scope, options)
  }
}

function missing(what: string): LocalError {
  return new LocalError(
    'ENGINE_MISSING',
    `${what}. Install the program flite (apt-get install flite, brew install flite), ` +
      `or the program espeak-ng, or the package: npm install ${PACKAGE} (GPL-3.0)`,
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
