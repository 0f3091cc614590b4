import { aLaw, muLaw, pcm, type AudioFormat, type SampleRate } from '../../audio/index.ts'
import type { PartContext, SoundSetup, Tts, Voice } from '../../parts/index.ts'
import { apiKey } from '../api-key.ts'
import { checkUrl } from '../check-url.ts'
import { ContextVoice } from '../context-voice.ts'
import { cartesiaDialect } from './cartesia-dialect.ts'
import { withExtra, type Extra } from '../extra.ts'
import type { VoiceSettings } from './cartesia-messages.ts'
import { VERSION } from './version.ts'
import { checkOptions, type OptionNames } from '../../scope/index.ts'

/** The model that is used unless another one is chosen. */
export const MODEL = 'sonic-3.5'

export interface CartesiaTtsOptions {
  /** The id of the voice. */
  readonly voice: string
  /** Default: the environment variable `CARTESIA_API_KEY`. */
  readonly apiKey?: string
  /** The service's address. Default: `wss://api.cartesia.ai`. */
  readonly url?: string
  /** The name in reports and logs. Default: `cartesia`. */
  readonly name?: string
  /** Default: `sonic-3.5`. */
  readonly model?: string
  /** The spoken language, for example `en`. Default: the model's own default. */
  readonly language?: string
  /** Makes PCM of this rate only, in Hz. Default: whatever fits the line. */
  readonly sampleRate?: SampleRate
  /** Default: the voice's own. */
  readonly speed?: number
  /** Default: the voice's own. */
  readonly volume?: number
  /** Default: the voice's own. */
  readonly emotion?: string
  /**
   * Milliseconds for which the service may wait for more text before it speaks, 0 to 5,000. Waiting improves prosody.
   * Default: 300, because the service's own default of 3 s would be heard as silence before the first words of an answer.
   */
  readonly bufferDelay?: number
  /** How long a speech whose text has ended may go without a message before it fails. Default: 10 s. */
  readonly stallTimeout?: number
  /** Fields of the service's own protocol, merged last into every generation request: `{ pronunciation_dict_id: '…' }`. */
  readonly extra?: Extra
}

const formats = [pcm(24_000), muLaw, aLaw, pcm(8_000), pcm(16_000), pcm(48_000)]
const encodings = { pcm: 'pcm_s16le', mulaw: 'pcm_mulaw', alaw: 'pcm_alaw' } as const

const optionNames: OptionNames<CartesiaTtsOptions> = {
  voice: true,
  apiKey: true,
  url: true,
  name: true,
  model: true,
  language: true,
  sampleRate: true,
  speed: true,
  volume: true,
  emotion: true,
  bufferDelay: true,
  stallTimeout: true,
  extra: true,
}

/**
 * Cartesia's streaming text-to-speech: all speeches over one connection.
 *
 * ```ts
 * const tts = new CartesiaTts({ voice: 'f786b574-daa5-4673-aa0c-cbe3e8534c02', language: 'en' })
 * ```
 */
export class CartesiaTts implements Tts {
  readonly name: string
  readonly product: string
  readonly speaks: readonly AudioFormat[]
  readonly #url: string
  readonly #key: string
  readonly #settings: Omit<VoiceSettings, 'output_format'>
  readonly #stallTimeout: number
  readonly #extra: Extra | undefined

  /** Throws `MissingKeyError` without a key. */
  constructor(options: CartesiaTtsOptions) {
    checkOptions('CartesiaTts', options, optionNames)
    this.name = options.name ?? 'cartesia'
    this.speaks = options.sampleRate === undefined ? formats : [pcm(options.sampleRate)]
    this.#key = apiKey('cartesia', options.apiKey, 'CARTESIA_API_KEY')
    const { url = 'wss://api.cartesia.ai' } = options
    checkUrl('CartesiaTts', url)
    this.#url = `${url.replace(/\/$/, '')}/tts/websocket`
    this.#settings = settingsOf(options)
    this.product = `cartesia/${this.#settings.model_id}`
    this.#stallTimeout = options.stallTimeout ?? 10_000
    this.#extra = options.extra
  }

  open(context: PartContext, { format = this.speaks[0]! }: Partial<SoundSetup> = {}): Promise<Voice> {
    const headers = { authorization: `Bearer ${this.#key}`, 'cartesia-version': VERSION }
    const request = () => ({ url: this.#url, headers })
    const { encoding, sampleRate: sample_rate } = format
    const output_format = { container: 'raw', encoding: encodings[encoding], sample_rate } as const
    const settings = withExtra({ ...this.#settings, output_format }, this.#extra)
    const dialect = cartesiaDialect(request, settings, this.#stallTimeout)
    return new ContextVoice(this.name, context, format, dialect).open()
  }
}

function settingsOf(options: CartesiaTtsOptions): Omit<VoiceSettings, 'output_format'> {
  const { language, bufferDelay = 300, speed, volume, emotion } = options
  const generation_config = {
    ...(speed === undefined ? {} : { speed }),
    ...(volume === undefined ? {} : { volume }),
    ...(emotion === undefined ? {} : { emotion }),
  }
  return {
    model_id: options.model ?? MODEL,
    voice: { mode: 'id', id: options.voice },
    add_timestamps: true,
    ...(language === undefined ? {} : { language }),
    max_buffer_delay_ms: bufferDelay,
    ...(Object.keys(generation_config).length === 0 ? {} : { generation_config }),
  }
}
