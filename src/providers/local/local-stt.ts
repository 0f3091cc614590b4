import { concat, pcm, type AudioFrame } from '../../audio/index.ts'
import {
  batchStt,
  type Logger,
  type PartContext,
  type Stt,
  type SttEvents,
  type SttStream,
} from '../../parts/index.ts'
import { OptionError, checkOptions, type OptionNames } from '../../scope/index.ts'
import { grammarOf, type Grammar } from './grammar.ts'
import { LocalVad } from './local-vad.ts'
import { checkPackage } from './require-package.ts'
import { PACKAGE, openRecogniser, type Recogniser, type RecogniserOptions } from './recogniser.ts'

/** The default text of `LocalStt` for speech that matches none of its phrases. */
export const notUnderstood = '[not understood]'

export interface LocalSttOptions {
  /**
   * The phrases to recognise, made of words, `[optional words]`, `(one|another)` and `{slot}`.
   *
   * ```ts
   * phrases: ['book [me in] on {day}', '(hello|good morning)'], slots: { day: ['monday', 'tuesday'] }
   * ```
   */
  readonly phrases: readonly string[]
  /** The values of each `{slot}`. They are phrases, too. */
  readonly slots?: Readonly<Record<string, readonly string[]>>
  /** Pronunciations of words that the dictionary lacks, in ARPAbet: `{ endwell: 'EH N D W EH L' }`. */
  readonly pronunciations?: Readonly<Record<string, string>>
  /**
   * The text for speech that matches no phrase, so that the agent can react to it. With `''` such speech is ignored.
   * Default: `[not understood]`.
   */
  readonly unknown?: string
  /** The highest doubt at which a phrase is accepted. Lower values also reject more correct phrases. Default: 1. */
  readonly maxDoubt?: number
  /** How long the recognition of one utterance may take, in milliseconds. Default: 10 s. */
  readonly timeout?: number
  /** Default: `local-stt`. */
  readonly name?: string
}

const optionNames: OptionNames<LocalSttOptions> = {
  phrases: true,
  slots: true,
  pronunciations: true,
  unknown: true,
  maxDoubt: true,
  timeout: true,
  name: true,
}

/** The rate of the recogniser's model. */
const RATE = 16_000
const TIMEOUT = 10_000
/** A shorter sound that matches no phrase is ignored: it is a cough or a door. In milliseconds. */
const MIN_SPEECH = 250
/** Milliseconds before and after the speech that the recogniser gets, too: it expects silence around words. */
const PADDING = 300

/**
 * Recognises phrases on this machine, without a key, with the optional package `soundswallower`. It uses a grammar and
 * cannot take dictation: speech either matches one of the phrases or is not understood.
 *
 * Every stream has its own thread, which takes about 0.3 s to start and 60 MB, because ending a thread is the only sure
 * way to end a recognition. The thread works only during speech. One idle thread is kept for the next call.
 */
export class LocalStt implements Stt {
  readonly name: string
  readonly product = 'local/stt'
  readonly hears = [pcm(RATE)]
  readonly #options: LocalSttOptions
  readonly #grammar: Grammar
  readonly #open: typeof openRecogniser

  constructor(options: LocalSttOptions)
  /** @internal */
  constructor(options: LocalSttOptions, open: typeof openRecogniser)
  constructor(options: LocalSttOptions, open = openRecogniser) {
    checkOptions('LocalStt', options, optionNames)
    this.name = options.name ?? 'local-stt'
    this.#options = options
    this.#open = open
    this.#grammar = grammarOf(options.phrases, options.slots)
    const { maxDoubt = 1, timeout = TIMEOUT } = options
    if (!(maxDoubt > 0)) throw new OptionError(`${this.name}: maxDoubt must be above 0; it is ${maxDoubt}`)
    if (!(timeout > 0)) throw new OptionError(`${this.name}: timeout must be above 0; it is ${timeout}`)
    // Not in `open`: a missing package must be reported when the program starts, not in the first call (HO11).
    checkPackage(PACKAGE, this.name)
  }

  async open(context: PartContext, events: SttEvents): Promise<SttStream> {
    const { name } = this
    const settings: RecogniserOptions = {
      name,
      grammar: this.#grammar,
      pronunciations: this.#options.pronunciations ?? {},
    }
    const recogniser = await this.#open(context.scope, settings)
    const vad = new LocalVad()
    return batchStt({
      name: `${name} speech`,
      sampleRate: RATE,
      vad: {
        name: vad.name,
        hears: this.hears,
        open: (inner, vadEvents, setup) => {
          recogniser.onDeath((error) => vadEvents.failed(error))
          return vad.open(inner, vadEvents, setup)
        },
      },
      preRoll: PADDING,
      minSpeech: 0,
      attempts: 1,
      timeout: this.#options.timeout ?? TIMEOUT,
      transcribe: (frames, signal) => this.#transcribe(recogniser, frames, signal, context.logger),
    }).open(context, events, { format: this.hears[0]!, keyTerms: [] })
  }

  async #transcribe(
    recogniser: Recogniser,
    frames: readonly AudioFrame[],
    signal: AbortSignal,
    logger: Logger,
  ): Promise<string> {
    const { unknown = notUnderstood, maxDoubt = 1 } = this.#options
    const samples = Int16Array.from(concat(frames, RATE).samples)
    const length = samples.length / 16
    const { text, doubt } = await recogniser.recognise(samples, signal)
    // Helps to choose `maxDoubt`.
    logger.debug({ part: this.name, text, doubt }, 'the best matching phrase')
    if (text !== '' && doubt <= maxDoubt) return text
    return length < MIN_SPEECH + 2 * PADDING ? '' : unknown
  }
}
