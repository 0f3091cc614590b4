import { aLaw, muLaw, pcm, type AudioFormat, type SampleRate } from '../../audio/index.ts'
import type { PartContext, Stt, SttEvents, SttSetup, SttStream } from '../../parts/index.ts'
import { apiKey } from '../api-key.ts'
import { checkUrl } from '../check-url.ts'
import type { Extra } from '../extra.ts'
import { queryString } from '../query-string.ts'
import { DeepgramStream } from './deepgram-stream.ts'
import { checkOptions, type OptionNames } from '../../scope/index.ts'

/** The model that is used unless another one is chosen. */
export const MODEL = 'nova-3'

export interface DeepgramSttOptions {
  /** Default: the environment variable `DEEPGRAM_API_KEY`. */
  readonly apiKey?: string
  /** The service's address. Default: `wss://api.deepgram.com`. */
  readonly url?: string
  /** The name in reports and logs. Default: `deepgram`. */
  readonly name?: string
  /** Default: `nova-3`. */
  readonly model?: string
  /** The spoken language, for example `en` or `de-CH`. Default: the model's own default. */
  readonly language?: string
  /** Sends PCM of this rate only, in Hz. Default: whatever fits the line. */
  readonly sampleRate?: SampleRate
  /** Emits interim transcripts. Default: true. */
  readonly interimResults?: boolean
  /** Formats numbers and dates and adds punctuation. Default: true. */
  readonly smartFormat?: boolean
  /** Milliseconds of silence after which a transcript becomes final; false for never. Default: the service's own. */
  readonly endpointing?: number | false
  /** Milliseconds without a word after which an utterance has ended; at least 1,000. Default: off. */
  readonly utteranceEnd?: number
  /** Emits the end of the user's turn, after `endpointing` or `utteranceEnd`, whichever comes first. Default: false. */
  readonly endsTurns?: boolean
  /** Emits the start of speech before there are words, so that a caller can interrupt sooner. Default: as `endsTurns`. */
  readonly speechStarted?: boolean
  /** Words and names to expect, besides those of the agent in charge. */
  readonly keyTerms?: readonly string[]
  /** Query parameters of the service, merged last into the address: `{ numerals: true, replace: ['two:2', 'to:2'] }`. */
  readonly extra?: Extra
}

/** Formats of sound that fit a line: no service hears more in 48 kHz. */
const formats = [pcm(16_000), muLaw, aLaw, pcm(8_000), pcm(24_000)]

const optionNames: OptionNames<DeepgramSttOptions> = {
  apiKey: true,
  url: true,
  name: true,
  model: true,
  language: true,
  sampleRate: true,
  interimResults: true,
  smartFormat: true,
  endpointing: true,
  utteranceEnd: true,
  endsTurns: true,
  speechStarted: true,
  keyTerms: true,
  extra: true,
}

/**
 * Deepgram's streaming speech-to-text.
 *
 * ```ts
 * const stt = new DeepgramStt({ language: 'en', endpointing: 300 })
 * ```
 */
export class DeepgramStt implements Stt {
  readonly name: string
  readonly product: string
  readonly hears: readonly AudioFormat[]
  readonly endsTurns: boolean
  readonly #options: DeepgramSttOptions
  readonly #url: string
  readonly #key: string

  /** Throws `MissingKeyError` without a key. */
  constructor(options: DeepgramSttOptions = {}) {
    checkOptions('DeepgramStt', options, optionNames)
    this.name = options.name ?? 'deepgram'
    this.product = `deepgram/${options.model ?? MODEL}`
    this.hears = options.sampleRate === undefined ? formats : [pcm(options.sampleRate)]
    this.endsTurns = options.endsTurns ?? false
    this.#key = apiKey('deepgram', options.apiKey, 'DEEPGRAM_API_KEY')
    const { url = 'wss://api.deepgram.com' } = options
    checkUrl('DeepgramStt', url)
    this.#url = `${url.replace(/\/$/, '')}/v1/listen`
    this.#options = options
  }

  open(
    context: PartContext,
    events: SttEvents,
    { format = this.hears[0]!, keyTerms = [] }: Partial<SttSetup> = {},
  ): Promise<SttStream> {
    const headers = { authorization: `Token ${this.#key}` }
    const setup = { format, keyTerms }
    const stream = new DeepgramStream(this, setup, events, (now) => ({
      url: `${this.#url}?${queryOf(this.#options, now)}`,
      headers,
    }))
    return stream.open(context)
  }
}

function queryOf(options: DeepgramSttOptions, { format, keyTerms }: SttSetup): string {
  const parameters = {
    model: options.model ?? MODEL,
    encoding: format.encoding === 'pcm' ? 'linear16' : format.encoding,
    sample_rate: format.sampleRate,
    channels: 1,
    interim_results: options.interimResults ?? true,
    smart_format: options.smartFormat ?? true,
    language: options.language,
    endpointing: options.endpointing,
    utterance_end_ms: options.utteranceEnd,
    vad_events: (options.speechStarted ?? options.endsTurns) ? true : undefined,
    keyterm: [...(options.keyTerms ?? []), ...keyTerms],
  }
  return queryString(parameters, options.extra)
}
