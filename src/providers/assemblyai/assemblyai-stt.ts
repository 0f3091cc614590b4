import { muLaw, pcm, type AudioFormat, type SampleRate } from '../../audio/index.ts'
import type { PartContext, Stt, SttEvents, SttSetup, SttStream } from '../../parts/index.ts'
import { checkOptions, type OptionNames } from '../../scope/index.ts'
import { apiKey } from '../api-key.ts'
import { checkUrl } from '../check-url.ts'
import type { Extra } from '../extra.ts'
import { queryString } from '../query-string.ts'
import { TurnStream } from '../turn-stream.ts'
import { assemblyAIDialect } from './assemblyai-dialect.ts'

export interface AssemblyAISttOptions {
  /** Default: the environment variable `ASSEMBLYAI_API_KEY`. */
  readonly apiKey?: string
  /** The service's address. Default: `wss://streaming.assemblyai.com`. In the EU: `wss://streaming.eu.assemblyai.com`. */
  readonly url?: string
  /** The name in reports and logs. Default: `assemblyai`. */
  readonly name?: string
  /** Default: `universal-3-5-pro`. */
  readonly model?: string
  /** The languages to expect, for models that know several: `['en', 'es']`. Default: any. */
  readonly languages?: readonly string[]
  /** Sends PCM of this rate only, in Hz. Default: whatever fits the line. */
  readonly sampleRate?: SampleRate
  /**
   * Adds capitals and punctuation, with the `universal-streaming` models, which emit their finals a little later for it.
   * All other models always do. Default: true.
   */
  readonly format?: boolean
  /** How sure the service must be that the caller has finished, from 0 to 1. Default: the model's own. */
  readonly endThreshold?: number
  /** Milliseconds of silence before a turn may end. Default: the model's own. */
  readonly minSilence?: number
  /** Milliseconds of silence after which a turn ends in any case. Default: the model's own. */
  readonly maxSilence?: number
  /** Emits the ends of the user's turns. Default: true. */
  readonly endsTurns?: boolean
  /** Query parameters of the service, merged last into the address: `{ language_detection: true }`. */
  readonly extra?: Extra
}

const formats = [pcm(16_000), muLaw, pcm(8_000), pcm(24_000)]

const optionNames: OptionNames<AssemblyAISttOptions> = {
  apiKey: true,
  url: true,
  name: true,
  model: true,
  languages: true,
  sampleRate: true,
  format: true,
  endThreshold: true,
  minSilence: true,
  maxSilence: true,
  endsTurns: true,
  extra: true,
}

/**
 * AssemblyAI's streaming speech-to-text, which detects the ends of turns itself.
 *
 * ```ts
 * const stt = new AssemblyAIStt({ languages: ['en', 'es'] })
 * ```
 */
export class AssemblyAIStt implements Stt {
  readonly name: string
  readonly product: string
  readonly hears: readonly AudioFormat[]
  readonly endsTurns: boolean
  readonly #options: AssemblyAISttOptions
  readonly #url: string
  readonly #key: string
  readonly #model: string

  /** Throws `MissingKeyError` without a key. */
  constructor(options: AssemblyAISttOptions = {}) {
    checkOptions('AssemblyAIStt', options, optionNames)
    const { url = 'wss://streaming.assemblyai.com', sampleRate } = options
    this.name = options.name ?? 'assemblyai'
    this.hears = sampleRate === undefined ? formats : [pcm(sampleRate)]
    this.endsTurns = options.endsTurns ?? true
    this.#key = apiKey('assemblyai', options.apiKey, 'ASSEMBLYAI_API_KEY')
    checkUrl('AssemblyAIStt', url)
    this.#url = `${url.replace(/\/$/, '')}/v3/ws`
    this.#model = options.model ?? 'universal-3-5-pro'
    this.product = `assemblyai/${this.#model}`
    this.#options = options
  }

  open(
    context: PartContext,
    events: SttEvents,
    { format = this.hears[0]!, keyTerms = [] }: Partial<SttSetup> = {},
  ): Promise<SttStream> {
    const headers = { authorization: this.#key }
    const request = (now: SttSetup) => ({ url: `${this.#url}?${this.#query(now)}`, headers })
    const dialect = assemblyAIDialect(request, this.#formats)
    return new TurnStream(this, { format, keyTerms }, events, dialect).open(context)
  }

  /** Whether an end of turn comes twice, the second time formatted. */
  get #formats(): boolean {
    return this.#model.startsWith('universal-streaming') && (this.#options.format ?? true)
  }

  #query({ format, keyTerms }: SttSetup): string {
    const { languages, endThreshold, minSilence, maxSilence, extra } = this.#options
    return queryString(
      {
        speech_model: this.#model,
        encoding: format.encoding === 'pcm' ? 'pcm_s16le' : 'pcm_mulaw',
        sample_rate: format.sampleRate,
        format_turns: this.#formats ? true : undefined,
        end_of_turn_confidence_threshold: endThreshold,
        min_turn_silence: minSilence,
        max_turn_silence: maxSilence,
        language_codes: languages && JSON.stringify(languages),
        keyterms_prompt: keyTerms.length === 0 ? undefined : JSON.stringify(keyTerms),
      },
      extra,
    )
  }
}
