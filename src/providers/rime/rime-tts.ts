import { muLaw, pcm, type AudioFormat, type SampleRate } from '../../audio/index.ts'
import type { PartContext, SoundSetup, Tts, Voice } from '../../parts/index.ts'
import { checkOptions, OptionError, type OptionNames } from '../../scope/index.ts'
import { apiKey } from '../api-key.ts'
import { checkUrl } from '../check-url.ts'
import { ContextVoice } from '../context-voice.ts'
import { withExtra, type Extra } from '../extra.ts'
import { rimeDialect } from './rime-dialect.ts'
import type { RimeStart } from './rime-messages.ts'

export interface RimeTtsOptions {
  /** The name of the voice, for example `lyra`. */
  readonly voice: string
  /** Default: the environment variable `RIME_API_KEY`. */
  readonly apiKey?: string
  /** The service's address. Default: the address of the model, for example `wss://coda.api.rime.ai`. */
  readonly url?: string
  /** The name in reports and logs. Default: `rime`. */
  readonly name?: string
  /** `coda` or `mistv3`. Default: `coda`. Each model has its own address, so `url` replaces it. */
  readonly model?: string
  /** The spoken language, for example `en`. Default: the service's own. */
  readonly language?: string
  /** Makes PCM of this rate only, in Hz. Default: whatever fits the line. */
  readonly sampleRate?: Exclude<SampleRate, 48_000>
  /** How long a speech whose text has ended may go without a message before it fails. Default: 10 s. */
  readonly stallTimeout?: number
  /** Fields of the service's `start` message, merged last: `{ codaParameters: { textLookaheadTokens: 4 } }`. */
  readonly extra?: Extra
}

const formats = [pcm(24_000), muLaw, pcm(8_000), pcm(16_000)]

const addresses: Readonly<Record<string, string>> = {
  coda: 'wss://coda.api.rime.ai',
  mistv3: 'wss://mist.api.rime.ai',
}

const optionNames: OptionNames<RimeTtsOptions> = {
  voice: true,
  apiKey: true,
  url: true,
  name: true,
  model: true,
  language: true,
  sampleRate: true,
  stallTimeout: true,
  extra: true,
}

/**
 * Rime's streaming text-to-speech, version 1 of its protocol: all speeches over one connection.
 *
 * ```ts
 * const tts = new RimeTts({ voice: 'lyra', language: 'en' })
 * ```
 */
export class RimeTts implements Tts {
  readonly name: string
  readonly product: string
  readonly speaks: readonly AudioFormat[]
  readonly #options: RimeTtsOptions
  readonly #url: string
  readonly #key: string

  /** Throws `MissingKeyError` without a key, and `OptionError` for a model without an address. */
  constructor(options: RimeTtsOptions) {
    checkOptions('RimeTts', options, optionNames)
    const { model = 'coda', url = addresses[model], sampleRate } = options
    this.name = options.name ?? 'rime'
    this.product = `rime/${model}`
    this.speaks = sampleRate === undefined ? formats : [pcm(sampleRate)]
    this.#key = apiKey('rime', options.apiKey, 'RIME_API_KEY')
    if (url === undefined)
      throw new OptionError(`RimeTts: ${model} has no address here. Use coda or mistv3, or pass its url`)
    checkUrl('RimeTts', url)
    this.#url = `${url.replace(/\/$/, '')}/ws`
    this.#options = options
  }

  open(context: PartContext, { format = this.speaks[0]! }: Partial<SoundSetup> = {}): Promise<Voice> {
    const { stallTimeout = 10_000, extra } = this.#options
    const headers = { authorization: `Bearer ${this.#key}` }
    const request = () => ({ url: this.#url, headers, protocols: ['rime.v1.json'] })
    const dialect = rimeDialect(request, withExtra(startOf(this.#options, format), extra), stallTimeout)
    return new ContextVoice(this.name, context, format, dialect).open()
  }
}

function startOf({ voice, language }: RimeTtsOptions, { encoding, sampleRate }: AudioFormat): RimeStart {
  return {
    speaker: voice,
    ...(language === undefined ? {} : { language }),
    audioParameters: {
      audioFormat: encoding === 'pcm' ? 'audio/pcm' : 'audio/pcmu',
      samplingRate: sampleRate,
    },
    timestamps: { enable: true },
  }
}
