import { muLaw, pcm, type AudioFormat, type SampleRate } from '../../../audio/index.ts'
import type { PartContext, Stt, SttEvents, SttSetup, SttStream } from '../../../parts/index.ts'
import { checkOptions, type OptionNames } from '../../../scope/index.ts'
import { apiKey } from '../../api-key.ts'
import { checkUrl } from '../../check-url.ts'
import type { Extra } from '../../extra.ts'
import { queryString } from '../../query-string.ts'
import { TurnStream } from '../../turn-stream.ts'
import { scribeDialect } from './scribe-dialect.ts'

const MODEL = 'scribe_v2_realtime'

/** The service refuses a connection with more key terms, or longer ones. */
const MAX_KEY_TERMS = 50
const MAX_KEY_TERM = 20

export interface ElevenLabsSttOptions {
  /** Default: the environment variable `ELEVENLABS_API_KEY`. */
  readonly apiKey?: string
  /** The service's address. Default: `wss://api.elevenlabs.io`. */
  readonly url?: string
  /** The name in reports and logs. Default: `elevenlabs`. */
  readonly name?: string
  /** Default: `scribe_v2_realtime`. */
  readonly model?: string
  /** The languages to expect, the most likely first: `['en', 'es']`. Default: the model recognises them. */
  readonly languages?: readonly string[]
  /** Sends PCM of this rate only, in Hz. Default: whatever fits the line. */
  readonly sampleRate?: SampleRate
  /** Milliseconds of silence after which a turn ends, from 300 to 3,000. Default: the service's own. */
  readonly endSilence?: number
  /** How sure the service must be that the caller speaks, from 0.1 to 0.9. Default: the service's own. */
  readonly startThreshold?: number
  /** Reports words with their times, and the language. The end of a turn comes a little later for it. Default: false. */
  readonly timestamps?: boolean
  /** Emits the ends of the user's turns. Default: true. */
  readonly endsTurns?: boolean
  /** Query parameters of the service, merged last into the address: `{ no_verbatim: true }`. */
  readonly extra?: Extra
}

const formats = [pcm(16_000), muLaw, pcm(8_000), pcm(24_000), pcm(48_000)]

const optionNames: OptionNames<ElevenLabsSttOptions> = {
  apiKey: true,
  url: true,
  name: true,
  model: true,
  languages: true,
  sampleRate: true,
  endSilence: true,
  startThreshold: true,
  timestamps: true,
  endsTurns: true,
  extra: true,
}

/**
 * ElevenLabs' Scribe: speech-to-text that ends a turn when the caller pauses.
 *
 * ```ts
 * const stt = new ElevenLabsStt({ languages: ['en'], endSilence: 700 })
 * ```
 */
export class ElevenLabsStt implements Stt {
  readonly name: string
  readonly product: string
  readonly hears: readonly AudioFormat[]
  readonly endsTurns: boolean
  readonly #options: ElevenLabsSttOptions
  readonly #url: string
  readonly #key: string

  /** Throws `MissingKeyError` without a key. */
  constructor(options: ElevenLabsSttOptions = {}) {
    checkOptions('ElevenLabsStt', options, optionNames)
    const { url = 'wss://api.elevenlabs.io', sampleRate } = options
    this.name = options.name ?? 'elevenlabs'
    this.product = `elevenlabs/${options.model ?? MODEL}`
    this.hears = sampleRate === undefined ? formats : [pcm(sampleRate)]
    this.endsTurns = options.endsTurns ?? true
    this.#key = apiKey('elevenlabs', options.apiKey, 'ELEVENLABS_API_KEY')
    checkUrl('ElevenLabsStt', url)
    this.#url = `${url.replace(/\/$/, '')}/v1/speech-to-text/realtime`
    this.#options = options
  }

  open(
    context: PartContext,
    events: SttEvents,
    { format = this.hears[0]!, keyTerms = [] }: Partial<SttSetup> = {},
  ): Promise<SttStream> {
    const headers = { 'xi-api-key': this.#key }
    const request = (now: SttSetup) => ({ url: `${this.#url}?${queryOf(this.#options, now)}`, headers })
    const dialect = scribeDialect(request, format, this.#options.timestamps ?? false)
    return new TurnStream(this, { format, keyTerms }, events, dialect).open(context)
  }
}

function queryOf(options: ElevenLabsSttOptions, { format, keyTerms }: SttSetup): string {
  const { languages: [language_code, ...secondary_languages] = [], endSilence, timestamps } = options
  return queryString(
    {
      model_id: options.model ?? MODEL,
      audio_format: format.encoding === 'pcm' ? `pcm_${format.sampleRate}` : 'ulaw_8000',
      commit_strategy: 'vad',
      vad_silence_threshold_secs: endSilence === undefined ? undefined : endSilence / 1_000,
      vad_threshold: options.startThreshold,
      language_code,
      secondary_languages,
      include_timestamps: timestamps,
      keyterms: keyTerms.filter(({ length }) => length <= MAX_KEY_TERM).slice(0, MAX_KEY_TERMS),
    },
    options.extra,
  )
}
