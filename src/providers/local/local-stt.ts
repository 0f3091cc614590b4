import { concat, type AudioFrame } from '../../audio/index.ts'
import {
  batchStt,
  type Logger,
  type PartContext,
  type Stt,
  type SttEvents,
  type SttStream,
} from '../../parts/index.ts'
import { OptionError } from '../../scope/index.ts'
import { grammarOf, type Grammar } from './grammar.ts'
import { LocalVad } from './local-vad.ts'
import { openRecogniser, type Recogniser, type RecogniserOptions } from './recogniser.ts'

/** What `LocalStt` says of speech that is none of its phrases. */
export const notUnderstood = '[not understood]'

export interface LocalSttOptions {
  /**
   * What can be said: words, `[what may be left out]`, `(one|or another)`, `{slot}`.
   *
   * ```ts
   * phrases: ['book [me in] on {day}', '(hello|good morning)'], slots: { day: ['monday', 'tuesday'] }
   * ```
   */
  readonly phrases: readonly string[]
  /** What stands in for a `{name}`. The values are phrases, too. */
  readonly slots?: Readonly<Record<string, readonly string[]>>
  /** How words sound that are in no dictionary, in ARPAbet: `{ endwell: 'EH N D W EH L' }`. */
  readonly pronunciations?: Readonly<Record<string, string>>
  /**
   * The text of speech that is none of the phrases: `[not understood]` unless set. An agent needs to know that somebody
   * spoke, or the caller talks into silence; a text of `''` keeps such speech from it.
   */
  readonly unknown?: string
  /** How much doubt there may be about a phrase: 1 unless set. Less refuses more, of the phrases as well. */
  readonly maxDoubt?: number
  /** `local-stt` unless set. */
  readonly name?: string
}

/** A sound that is no phrase and shorter than this, in milliseconds, is a cough or a door, and nobody is told of it. */
const SHORTEST = 250
/** Sound from before and after speech that the recogniser is given, too: it wants to hear silence around words. */
const AROUND = 300

/**
 * Understands phrases, on this machine and without a key, with the optional package `soundswallower`. It is a grammar
 * and not dictation: what is said is one of the phrases, or it is not understood.
 *
 * Every stream has a thread of its own (about 0.3 s and 60 MB), because a thread can be ended for certain, whatever it
 * is doing, and ending one that others share would end theirs. It works only while somebody speaks.
 */
export class LocalStt implements Stt {
  readonly name: string
  readonly sampleRate = 16_000
  readonly #options: LocalSttOptions
  readonly #grammar: Grammar
  readonly #open: typeof openRecogniser

  constructor(options: LocalSttOptions)
  /** @internal */
  constructor(options: LocalSttOptions, open: typeof openRecogniser)
  constructor(options: LocalSttOptions, open = openRecogniser) {
    this.name = options.name ?? 'local-stt'
    this.#options = options
    this.#open = open
    this.#grammar = grammarOf(options.phrases, options.slots)
    const { maxDoubt = 1 } = options
    if (!(maxDoubt > 0)) throw new OptionError(`${this.name}: maxDoubt must be above 0; it is ${maxDoubt}`)
  }

  async open(context: PartContext, events: SttEvents): Promise<SttStream> {
    const { name, sampleRate } = this
    const settings: RecogniserOptions = {
      name,
      grammar: this.#grammar,
      pronunciations: this.#options.pronunciations ?? {},
    }
    const recogniser = await this.#open(context.scope, settings)
    const ears = new LocalVad()
    return batchStt({
      name: `${name} speech`,
      sampleRate,
      vad: {
        name: ears.name,
        sampleRate,
        open: (inner, heard) => {
          recogniser.onDeath((error) => heard.failed(error))
          return ears.open(inner, heard)
        },
      },
      preRoll: AROUND,
      minSpeech: 0,
      attempts: 1,
      transcribe: (frames, signal) => this.#understand(recogniser, frames, signal, context.logger),
    }).open(context, events)
  }

  async #understand(
    recogniser: Recogniser,
    frames: readonly AudioFrame[],
    signal: AbortSignal,
    logger: Logger,
  ): Promise<string> {
    const { unknown = notUnderstood, maxDoubt = 1 } = this.#options
    const samples = Int16Array.from(concat(frames, this.sampleRate).samples)
    const length = samples.length / 16
    const { text, doubt } = await recogniser.recognise(samples, signal)
    // For whoever wants to know which `maxDoubt` suits their callers.
    logger.debug({ part: this.name, text, doubt }, 'the nearest phrase')
    if (text !== '' && doubt <= maxDoubt) return text
    return length < SHORTEST + 2 * AROUND ? '' : unknown
  }
}
