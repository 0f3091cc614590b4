import { existsSync } from 'node:fs'
import { durationOf, Framer, pcm, type AudioFrame } from '../../audio/index.ts'
import type { PartContext, SoundSetup, Vad, VadEvents, VadStream } from '../../parts/index.ts'
import { checkOptions, OptionError, type OptionNames, type Scope } from '../../scope/index.ts'
import { LocalError } from './errors.ts'
import { checkPackage } from './require-package.ts'
import type { SileroData, SileroInput } from './silero-thread.ts'
import { SpeechGate, type SpeechGateOptions } from './speech-gate.ts'
import { WorkerThread } from './worker-thread.ts'

const PACKAGE = 'onnxruntime-web'
/** The model judges this many milliseconds at once. */
const WINDOW = 32
/** Windows that wait for the thread: about a second. The oldest is dropped for a new one. */
const MAX_WAITING = 32

export interface SileroVadOptions extends SpeechGateOptions {
  /** The path of the model file: `silero_vad.onnx`, version 5 or 6. */
  readonly model: string
  /** Default: `silero-vad`. */
  readonly name?: string
}

const optionNames: OptionNames<SileroVadOptions> = {
  model: true,
  threshold: true,
  minSpeech: true,
  hangover: true,
  name: true,
}

/** Judges how likely it is that a window of sound is speech. */
export interface SpeechJudge {
  /** The samples are transferred, so the caller cannot use them afterwards. */
  judge(samples: Int16Array<ArrayBuffer>): Promise<number>
  /** Sets the listener that is called if the judge dies on its own. */
  onDeath(listener: (error: Error) => void): void
}

/**
 * Detects speech with the Silero model, without a key, with the optional package `onnxruntime-web`. Unlike `LocalVad`, it
 * tells speech from music, keyboards and other sounds.
 *
 * Every stream has its own thread, which takes about a second to start and 120 MB: on a machine with many calls, use
 * `LocalVad`. One idle thread is kept for the next call. In its first seconds, while V8 still optimises the runtime, the thread may take up to a second to end.
 *
 * ```ts
 * const vad = new SileroVad({ model: 'models/silero_vad.onnx' })
 * ```
 */
export class SileroVad implements Vad {
  readonly name: string
  readonly hears = [pcm(16_000), pcm(8_000)]
  readonly #options: SileroVadOptions
  readonly #open: typeof openJudge

  /** Throws `OptionError` if there is no such file, and `ENGINE_MISSING` without the package. */
  constructor(options: SileroVadOptions)
  /** @internal */
  constructor(options: SileroVadOptions, open: typeof openJudge)
  constructor(options: SileroVadOptions, open = openJudge) {
    checkOptions('SileroVad', options, optionNames)
    this.name = options.name ?? 'silero-vad'
    this.#options = options
    this.#open = open
    for (const option of ['threshold', 'minSpeech', 'hangover'] as const) {
      const value = options[option]
      if (value === undefined || (Number.isFinite(value) && value > 0)) continue
      throw new OptionError(`${this.name}: ${option} must be a finite number above 0; it is ${value}`)
    }
    // Not in `open`: a missing file or package must be reported when the program starts, not in the first call (HO11).
    if (!existsSync(options.model))
      throw new OptionError(`${this.name}: there is no model file ${options.model}`)
    checkPackage(PACKAGE, this.name)
  }

  async open(
    { scope }: PartContext,
    events: VadEvents,
    { format = pcm(16_000) }: Partial<SoundSetup> = {},
  ): Promise<VadStream> {
    const sampleRate = format.sampleRate === 8_000 ? 8_000 : 16_000
    const judge = await this.#open(scope, this.name, { model: this.#options.model, sampleRate })
    const framer = new Framer({ sampleRate, duration: WINDOW })
    return new SileroStream(scope, events, judge, framer, new SpeechGate(this.#options))
  }
}

/** Starts the model in its own thread. The scope owns it. */
export async function openJudge(scope: Scope<string>, name: string, data: SileroData): Promise<SpeechJudge> {
  const thread = await WorkerThread.open<SileroInput, number>(scope, {
    name,
    file: 'silero-thread',
    data,
    stateless: true,
    setUpError: ({ message }) =>
      new LocalError('ENGINE_FAILED', `${name}: ${data.model} is not a Silero VAD model: ${message}`),
  })
  let isFirst = true
  return {
    judge: async (samples) => {
      const input = { samples, isFirst }
      isFirst = false
      let probability: number | undefined
      // To the end, after which the thread is idle.
      for await (const each of thread.process(input, [samples.buffer])) probability = each
      if (probability !== undefined) return probability
      throw new LocalError('ENGINE_FAILED', `'${name}' returned no result`)
    },
    onDeath: (listener) => thread.onDeath(listener),
  }
}

class SileroStream implements VadStream {
  readonly #scope: Scope<string>
  readonly #events: VadEvents
  readonly #judge: SpeechJudge
  readonly #framer: Framer
  readonly #gate: SpeechGate
  /** Windows that wait for the thread, with the time of their end. */
  readonly #waiting: { readonly samples: Int16Array; readonly end: number }[] = []
  /** Milliseconds of audio pushed so far, and of those that have become windows. */
  #pushed = 0
  #windows = 0
  #busy = false
  #failed = false

  constructor(scope: Scope<string>, events: VadEvents, judge: SpeechJudge, framer: Framer, gate: SpeechGate) {
    this.#scope = scope
    this.#events = events
    this.#judge = judge
    this.#framer = framer
    this.#gate = gate
    judge.onDeath((error) => this.#fail(error))
  }

  push(frame: AudioFrame): void {
    if (this.#failed || this.#scope.state !== 'live') return
    this.#pushed += durationOf(frame)
    for (const { samples } of this.#framer.push(frame.samples)) {
      this.#windows += WINDOW
      this.#waiting.push({ samples, end: this.#windows })
      if (this.#waiting.length > MAX_WAITING) this.#waiting.shift()
    }
    this.#next()
  }

  /** Has the next window judged, unless one is. */
  #next(): void {
    const window = this.#busy ? undefined : this.#waiting.shift()
    if (!window) return
    this.#busy = true
    this.#judge.judge(Int16Array.from(window.samples)).then(
      (probability) => {
        this.#busy = false
        this.#judged(probability, window.end)
        this.#next()
      },
      (error: unknown) => this.#fail(error),
    )
  }

  #judged(probability: number, end: number): void {
    if (this.#failed || this.#scope.state !== 'live') return
    const change = this.#gate.push(probability, WINDOW)
    if (change) this.#events[change.what](change.ago + this.#pushed - end)
  }

  #fail(error: unknown): void {
    if (this.#failed || this.#scope.state !== 'live') return
    this.#failed = true
    this.#waiting.length = 0
    this.#events.failed(error)
  }
}
