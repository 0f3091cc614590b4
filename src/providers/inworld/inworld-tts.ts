import { aLaw, muLaw, pcm, type AudioFormat, type SampleRate } from '../../audio/index.ts'
import type { PartContext, SoundSetup, Tts, Voice } from '../../parts/index.ts'
import { checkOptions, type OptionNames } from '../../scope/index.ts'
import { apiKey } from '../api-key.ts'
import { checkUrl } from '../check-url.ts'
import { ContextVoice } from '../context-voice.ts'
import { withExtra, type Extra } from '../extra.ts'
import { inworldDialect } from './inworld-dialect.ts'
import type { InworldCreate } from './inworld-messages.ts'

const MODEL = 'inworld-tts-2'

export interface InworldTtsOptions {
  /** The id of the voice, for example `Ashley`. */
  readonly voice: string
  /** The key as Inworld shows it, in base64. Default: the environment variable `INWORLD_API_KEY`. */
  readonly apiKey?: string
  /** The service's address. Default: `wss://api.inworld.ai`. */
  readonly url?: string
  /** The name in reports and logs. Default: `inworld`. */
  readonly name?: string
  /** Default: `inworld-tts-2`. */
  readonly model?: string
  /** Makes PCM of this rate only, in Hz. Default: whatever fits the line. */
  readonly sampleRate?: SampleRate
  /** From 0.5 to 1.5. Default: the voice's own. */
  readonly speed?: number
  /** The spoken language, for example `en-US`. Default: the model recognises it. */
  readonly language?: string
  /** How much the voice varies, with `inworld-tts-2`. Default: `balanced`. */
  readonly delivery?: 'stable' | 'balanced' | 'creative'
  /** How much the voice varies, with older models, from 0 to 2. Default: the model's own. */
  readonly temperature?: number
  /** Whether numbers and dates are written out before they are spoken. Default: the service decides. */
  readonly textNormalization?: 'on' | 'off'
  /** How long a speech whose text has ended may go without a message before it fails. Default: 10 s. */
  readonly stallTimeout?: number
  /** Fields of the service's `create` message, merged last: `{ audioConfig: { pitch: 1 } }`. */
  readonly extra?: Extra
}

const formats = [pcm(24_000), muLaw, aLaw, pcm(8_000), pcm(16_000), pcm(48_000)]
const encodings = { pcm: 'PCM', mulaw: 'MULAW', alaw: 'ALAW' } as const

const optionNames: OptionNames<InworldTtsOptions> = {
  voice: true,
  apiKey: true,
  url: true,
  name: true,
  model: true,
  sampleRate: true,
  speed: true,
  language: true,
  delivery: true,
  temperature: true,
  textNormalization: true,
  stallTimeout: true,
  extra: true,
}

/**
 * Inworld's streaming text-to-speech: all speeches over one connection, up to four at once.
 *
 * ```ts
 * const tts = new InworldTts({ voice: 'Ashley' })
 * ```
 */
export class InworldTts implements Tts {
  readonly name: string
  readonly product: string
  readonly speaks: readonly AudioFormat[]
  readonly #options: InworldTtsOptions
  readonly #url: string
  readonly #key: string

  /** Throws `MissingKeyError` without a key. */
  constructor(options: InworldTtsOptions) {
    checkOptions('InworldTts', options, optionNames)
    const { url = 'wss://api.inworld.ai', sampleRate } = options
    this.name = options.name ?? 'inworld'
    this.product = `inworld/${options.model ?? MODEL}`
    this.speaks = sampleRate === undefined ? formats : [pcm(sampleRate)]
    this.#key = apiKey('inworld', options.apiKey, 'INWORLD_API_KEY')
    checkUrl('InworldTts', url)
    this.#url = `${url.replace(/\/$/, '')}/tts/v1/voice:streamBidirectional`
    this.#options = options
  }

  open(context: PartContext, { format = this.speaks[0]! }: Partial<SoundSetup> = {}): Promise<Voice> {
    const { stallTimeout = 10_000, extra } = this.#options
    const request = () => ({ url: this.#url, headers: { authorization: `Basic ${this.#key}` } })
    const settings = withExtra(settingsOf(this.#options, format), extra)
    const dialect = inworldDialect(request, settings, stallTimeout)
    return new ContextVoice(this.name, context, format, dialect).open()
  }
}

const deliveries = { stable: 'STABLE', balanced: 'BALANCED', creative: 'CREATIVE' } as const
const normalizations = { on: 'ON', off: 'OFF' } as const

/** JSON leaves out what is undefined. */
function settingsOf(options: InworldTtsOptions, { encoding, sampleRate }: AudioFormat): InworldCreate {
  const { delivery, textNormalization } = options
  return {
    voiceId: options.voice,
    modelId: options.model ?? MODEL,
    audioConfig: {
      audioEncoding: encodings[encoding],
      sampleRateHertz: sampleRate,
      speakingRate: options.speed,
    },
    language: options.language,
    deliveryMode: delivery && deliveries[delivery],
    temperature: options.temperature,
    applyTextNormalization: textNormalization && normalizations[textNormalization],
    timestampType: 'WORD',
    timestampTransportStrategy: 'ASYNC',
    autoMode: true,
  }
}
