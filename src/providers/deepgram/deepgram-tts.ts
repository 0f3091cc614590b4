import { aLaw, muLaw, pcm, type AudioFormat, type SampleRate } from '../../audio/index.ts'
import type { PartContext, SoundSetup, Tts, Voice } from '../../parts/index.ts'
import { checkOptions, type OptionNames } from '../../scope/index.ts'
import { apiKey } from '../api-key.ts'
import { checkUrl } from '../check-url.ts'
import { ContextVoice } from '../context-voice.ts'
import type { Extra } from '../extra.ts'
import { queryString } from '../query-string.ts'
import { speakDialect } from './speak-dialect.ts'

export interface DeepgramTtsOptions {
  /** Default: the environment variable `DEEPGRAM_API_KEY`. */
  readonly apiKey?: string
  /** The service's address. Default: `wss://api.deepgram.com`. */
  readonly url?: string
  /** The name in reports and logs. Default: `deepgram`. */
  readonly name?: string
  /** The model, which includes the voice and the language: an Aura or a Flux one. Default: `aura-2-thalia-en`. */
  readonly model?: string
  /** Makes PCM of this rate only, in Hz. Default: whatever fits the line. */
  readonly sampleRate?: SampleRate
  /** How long a speech whose text has ended may go without a message before it fails. Default: 10 s. */
  readonly stallTimeout?: number
  /** Query parameters of the service, merged last into the address: `{ speed: 1.1 }`. */
  readonly extra?: Extra
}

const formats = [pcm(24_000), muLaw, aLaw, pcm(8_000), pcm(16_000), pcm(48_000)]

const optionNames: OptionNames<DeepgramTtsOptions> = {
  apiKey: true,
  url: true,
  name: true,
  model: true,
  sampleRate: true,
  stallTimeout: true,
  extra: true,
}

/**
 * Deepgram's streaming text-to-speech, Aura or Flux: one speech at a time over one connection. A second speech waits for
 * the end of the first.
 *
 * ```ts
 * const tts = new DeepgramTts({ model: 'aura-2-thalia-en' })
 * ```
 */
export class DeepgramTts implements Tts {
  readonly name: string
  readonly product: string
  readonly speaks: readonly AudioFormat[]
  readonly #options: DeepgramTtsOptions
  readonly #url: string
  readonly #key: string
  readonly #model: string

  /** Throws `MissingKeyError` without a key. */
  constructor(options: DeepgramTtsOptions = {}) {
    checkOptions('DeepgramTts', options, optionNames)
    const { url = 'wss://api.deepgram.com', model = 'aura-2-thalia-en', sampleRate } = options
    this.name = options.name ?? 'deepgram'
    this.product = `deepgram/${model}`
    this.speaks = sampleRate === undefined ? formats : [pcm(sampleRate)]
    this.#key = apiKey('deepgram', options.apiKey, 'DEEPGRAM_API_KEY')
    checkUrl('DeepgramTts', url)
    this.#url = url.replace(/\/$/, '')
    this.#model = model
    this.#options = options
  }

  open(context: PartContext, { format = this.speaks[0]! }: Partial<SoundSetup> = {}): Promise<Voice> {
    const isFlux = this.#model.startsWith('flux-')
    const query = {
      model: this.#model,
      encoding: format.encoding === 'pcm' ? 'linear16' : format.encoding,
      sample_rate: format.sampleRate,
    }
    const url = `${this.#url}/${isFlux ? 'v2' : 'v1'}/speak?${queryString(query, this.#options.extra)}`
    const headers = { authorization: `Token ${this.#key}` }
    const dialect = speakDialect(() => ({ url, headers }), isFlux, this.#options.stallTimeout ?? 10_000)
    return new ContextVoice(this.name, context, format, dialect).open()
  }
}
