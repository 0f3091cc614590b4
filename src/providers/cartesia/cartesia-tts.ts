import type { SampleRate } from '../../audio/index.ts'
import type { PartContext, Tts, Voice } from '../../parts/index.ts'
import { apiKey } from '../api-key.ts'
import type { VoiceSettings } from './cartesia-messages.ts'
import { CartesiaVoice } from './cartesia-voice.ts'

/** The version of the protocol that is spoken here. */
const VERSION = '2026-08-14'

export interface CartesiaTtsOptions {
  /** The id of the voice. */
  readonly voice: string
  /** The environment variable `CARTESIA_API_KEY` unless set. */
  readonly apiKey?: string
  /** Where the service is: `wss://api.cartesia.ai` unless set. */
  readonly url?: string
  /** How it is called in reports: `cartesia` unless set. */
  readonly name?: string
  /** `sonic-3` unless set. */
  readonly model?: string
  /** What is spoken, `en` for instance; the model's own default unless set. */
  readonly language?: string
  /** The rate of the sound it makes: 24,000 unless set. */
  readonly sampleRate?: SampleRate
  /** How it speaks; the voice's own way unless set. */
  readonly speed?: number
  readonly volume?: number
  readonly emotion?: string
  /** Milliseconds for which the service may hold text back to speak it better; its own choice unless set. */
  readonly bufferDelay?: number
  /** A speech whose text has ended fails when nothing comes of it for so long: 10 s unless set. */
  readonly stallTimeout?: number
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
  readonly sampleRate: SampleRate
  readonly #url: string
  readonly #key: string
  readonly #settings: VoiceSettings
  readonly #stallTimeout: number

  /** Throws `MissingKeyError` if there is no key. */
  constructor(options: CartesiaTtsOptions) {
    this.name = options.name ?? 'cartesia'
    this.sampleRate = options.sampleRate ?? 24_000
    this.#key = apiKey('cartesia', options.apiKey, 'CARTESIA_API_KEY')
    this.#url = `${(options.url ?? 'wss://api.cartesia.ai').replace(/\/$/, '')}/tts/websocket`
    this.#settings = settingsOf(options, this.sampleRate)
    this.#stallTimeout = options.stallTimeout ?? 10_000
  }

  open(context: PartContext): Promise<Voice> {
    const headers = { authorization: `Bearer ${this.#key}`, 'cartesia-version': VERSION }
    const voice = new CartesiaVoice(this, context, {
      request: () => ({ url: this.#url, headers }),
      settings: this.#settings,
      stallTimeout: this.#stallTimeout,
    })
    return voice.open()
  }
}

function settingsOf(options: CartesiaTtsOptions, sample_rate: SampleRate): VoiceSettings {
  const { language, bufferDelay, speed, volume, emotion } = options
  const manner = {
    ...(speed === undefined ? {} : { speed }),
    ...(volume === undefined ? {} : { volume }),
    ...(emotion === undefined ? {} : { emotion }),
  }
  return {
    model_id: options.model ?? 'sonic-3',
    voice: { mode: 'id', id: options.voice },
    output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate },
    add_timestamps: true,
    ...(language === undefined ? {} : { language }),
    ...(bufferDelay === undefined ? {} : { max_buffer_delay_ms: bufferDelay }),
    ...(Object.keys(manner).length === 0 ? {} : { generation_config: manner }),
  }
}
