import { muLaw, pcm, type AudioFormat, type SampleRate } from '../../../audio/index.ts'
import type { PartContext, SoundSetup, Tts, Voice } from '../../../parts/index.ts'
import { checkOptions, OptionError, type OptionNames } from '../../../scope/index.ts'
import { apiKey } from '../../api-key.ts'
import { checkUrl } from '../../check-url.ts'
import { ContextVoice } from '../../context-voice.ts'
import type { Extra } from '../../extra.ts'
import { queryString } from '../../query-string.ts'
import { elevenLabsDialect } from './elevenlabs-dialect.ts'
import type { ContextSettings } from './elevenlabs-messages.ts'

const MODEL = 'eleven_flash_v2_5'

/** The longest time, in seconds, for which the service keeps a connection without text open. */
const INACTIVITY_TIMEOUT = 180

export interface ElevenLabsTtsOptions {
  /** The id of the voice. */
  readonly voice: string
  /** Default: the environment variable `ELEVENLABS_API_KEY`. */
  readonly apiKey?: string
  /** The service's address. Default: `wss://api.elevenlabs.io`. */
  readonly url?: string
  /** The name in reports and logs. Default: `elevenlabs`. */
  readonly name?: string
  /** Default: `eleven_flash_v2_5`. The `eleven_v3` models have another protocol and are refused. */
  readonly model?: string
  /** The spoken language, for example `en`. Default: the model recognises it. */
  readonly language?: string
  /** Makes PCM of this rate only, in Hz. Default: whatever fits the line. */
  readonly sampleRate?: SampleRate
  /** From 0.7 to 1.2. Default: the voice's own. */
  readonly speed?: number
  /** From 0, lively, to 1, even. Default: the voice's own. */
  readonly stability?: number
  /** How close it stays to the original voice, from 0 to 1. Default: the voice's own. */
  readonly similarityBoost?: number
  /** How much it exaggerates the voice's style, from 0 to 1. Default: the voice's own. */
  readonly style?: number
  /** Default: the voice's own. */
  readonly speakerBoost?: boolean
  /** Whether numbers and dates are written out before they are spoken. Default: `auto`. */
  readonly textNormalization?: 'auto' | 'on' | 'off'
  /** Pronunciation dictionaries, by id and version. */
  readonly dictionaries?: readonly { readonly id: string; readonly version: string }[]
  /** How long a speech whose text has ended may go without a message before it fails. Default: 10 s. */
  readonly stallTimeout?: number
  /** Query parameters of the service, merged last into the address: `{ enable_logging: false }`. */
  readonly extra?: Extra
}

const formats = [pcm(24_000), muLaw, pcm(8_000), pcm(16_000), pcm(48_000)]

const optionNames: OptionNames<ElevenLabsTtsOptions> = {
  voice: true,
  apiKey: true,
  url: true,
  name: true,
  model: true,
  language: true,
  sampleRate: true,
  speed: true,
  stability: true,
  similarityBoost: true,
  style: true,
  speakerBoost: true,
  textNormalization: true,
  dictionaries: true,
  stallTimeout: true,
  extra: true,
}

/**
 * ElevenLabs' streaming text-to-speech: all speeches over one connection, up to four at once.
 *
 * ```ts
 * const tts = new ElevenLabsTts({ voice: 'JBFqnCBsd6RMkjVDRZzb', language: 'en' })
 * ```
 */
export class ElevenLabsTts implements Tts {
  readonly name: string
  readonly product: string
  readonly speaks: readonly AudioFormat[]
  readonly #url: string
  readonly #options: ElevenLabsTtsOptions
  readonly #key: string
  readonly #settings: ContextSettings
  readonly #stallTimeout: number

  /** Throws `MissingKeyError` without a key, and `OptionError` for a model with another protocol. */
  constructor(options: ElevenLabsTtsOptions) {
    checkOptions('ElevenLabsTts', options, optionNames)
    this.name = options.name ?? 'elevenlabs'
    this.product = `elevenlabs/${options.model ?? MODEL}`
    this.speaks = options.sampleRate === undefined ? formats : [pcm(options.sampleRate)]
    this.#key = apiKey('elevenlabs', options.apiKey, 'ELEVENLABS_API_KEY')
    const { url = 'wss://api.elevenlabs.io', voice, model = '' } = options
    checkUrl('ElevenLabsTts', url)
    if (model.startsWith('eleven_v3'))
      throw new OptionError(`ElevenLabsTts: ${model} has another protocol. Use eleven_flash_v2_5`)
    const path = `/v1/text-to-speech/${encodeURIComponent(voice)}/multi-stream-input`
    this.#url = `${url.replace(/\/$/, '')}${path}`
    this.#options = options
    this.#settings = settingsOf(options)
    this.#stallTimeout = options.stallTimeout ?? 10_000
  }

  open(context: PartContext, { format = this.speaks[0]! }: Partial<SoundSetup> = {}): Promise<Voice> {
    const headers = { 'xi-api-key': this.#key }
    const url = `${this.#url}?${queryOf(this.#options, format)}`
    const dialect = elevenLabsDialect(() => ({ url, headers }), this.#settings, this.#stallTimeout)
    return new ContextVoice(this.name, context, format, dialect).open()
  }
}

function queryOf(options: ElevenLabsTtsOptions, { encoding, sampleRate }: AudioFormat): string {
  return queryString(
    {
      model_id: options.model ?? MODEL,
      output_format: encoding === 'pcm' ? `pcm_${sampleRate}` : 'ulaw_8000',
      auto_mode: true,
      sync_alignment: true,
      inactivity_timeout: INACTIVITY_TIMEOUT,
      language_code: options.language,
      apply_text_normalization: options.textNormalization,
    },
    options.extra,
  )
}

function settingsOf(options: ElevenLabsTtsOptions): ContextSettings {
  const { speed, stability, similarityBoost, style, speakerBoost, dictionaries = [] } = options
  const voice_settings = {
    ...(stability === undefined ? {} : { stability }),
    ...(similarityBoost === undefined ? {} : { similarity_boost: similarityBoost }),
    ...(style === undefined ? {} : { style }),
    ...(speakerBoost === undefined ? {} : { use_speaker_boost: speakerBoost }),
    ...(speed === undefined ? {} : { speed }),
  }
  const locators = dictionaries.map(({ id, version }) => ({
    pronunciation_dictionary_id: id,
    version_id: version,
  }))
  return {
    ...(Object.keys(voice_settings).length === 0 ? {} : { voice_settings }),
    ...(locators.length === 0 ? {} : { pronunciation_dictionary_locators: locators }),
  }
}
