import type { SampleRate } from '../../audio/index.ts'
import type { PartContext, Stt, SttEvents, SttStream } from '../../parts/index.ts'
import { apiKey } from '../api-key.ts'
import { DeepgramStream } from './deepgram-stream.ts'

export interface DeepgramSttOptions {
  /** The environment variable `DEEPGRAM_API_KEY` unless set. */
  readonly apiKey?: string
  /** Where the service is: `wss://api.deepgram.com` unless set. */
  readonly url?: string
  /** How it is called in reports: `deepgram` unless set. */
  readonly name?: string
  /** `nova-3` unless set. */
  readonly model?: string
  /** What is spoken, `en` or `de-CH` for instance; the model's own default unless set. */
  readonly language?: string
  /** The rate at which it is given audio: 16,000 unless set. */
  readonly sampleRate?: SampleRate
  /** Tells words before they are sure: yes unless false. */
  readonly interimResults?: boolean
  /** Writes numbers, dates and punctuation as people do: yes unless false. */
  readonly smartFormat?: boolean
  /** Milliseconds of silence after which words are made final; the service's own unless set, never if false. */
  readonly endpointing?: number | false
  /** Milliseconds without a word after which an utterance has ended, 1,000 or more; not looked for unless set. */
  readonly utteranceEnd?: number
  /** Says by itself when the user has finished: after `endpointing` or `utteranceEnd`, whichever is noticed first. */
  readonly endsTurns?: boolean
  /** Whatever else the service knows: `{ keyterm: 'Bright Dental', numerals: true }`. */
  readonly query?: Readonly<Record<string, string | number | boolean>>
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
  readonly sampleRate: SampleRate
  readonly endsTurns: boolean
  readonly #url: string
  readonly #key: string

  /** Throws `MissingKeyError` if there is no key. */
  constructor(options: DeepgramSttOptions = {}) {
    this.name = options.name ?? 'deepgram'
    this.sampleRate = options.sampleRate ?? 16_000
    this.endsTurns = options.endsTurns ?? false
    this.#key = apiKey('deepgram', options.apiKey, 'DEEPGRAM_API_KEY')
    const { url = 'wss://api.deepgram.com' } = options
    this.#url = `${url.replace(/\/$/, '')}/v1/listen?${queryOf(options, this.sampleRate)}`
  }

  open(context: PartContext, events: SttEvents): Promise<SttStream> {
    const headers = { authorization: `Token ${this.#key}` }
    const stream = new DeepgramStream(this, () => ({ url: this.#url, headers }), events)
    return stream.open(context)
  }
}

function queryOf(options: DeepgramSttOptions, sampleRate: SampleRate): string {
  const { language, endpointing, utteranceEnd } = options
  const all = {
    model: options.model ?? 'nova-3',
    encoding: 'linear16',
    sample_rate: sampleRate,
    channels: 1,
    interim_results: options.interimResults ?? true,
    smart_format: options.smartFormat ?? true,
    ...(language === undefined ? {} : { language }),
    ...(endpointing === undefined ? {} : { endpointing }),
    ...(utteranceEnd === undefined ? {} : { utterance_end_ms: utteranceEnd }),
    ...options.query,
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(all)) query.set(name, String(value))
  return query.toString()
}
