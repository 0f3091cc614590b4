import { aLaw, muLaw, pcm, type AudioFormat, type SampleRate } from '../../audio/index.ts'
import type { PartContext, Stt, SttEvents, SttSetup, SttStream } from '../../parts/index.ts'
import { checkOptions, type OptionNames } from '../../scope/index.ts'
import { apiKey } from '../api-key.ts'
import { checkUrl } from '../check-url.ts'
import type { Extra } from '../extra.ts'
import { queryString } from '../query-string.ts'
import { TurnStream } from '../turn-stream.ts'
import { inkDialect } from './ink-dialect.ts'
import { VERSION } from './version.ts'

const MODEL = 'ink-2'

export interface CartesiaSttOptions {
  /** Default: the environment variable `CARTESIA_API_KEY`. */
  readonly apiKey?: string
  /** The service's address. Default: `wss://api.cartesia.ai`. */
  readonly url?: string
  /** The name in reports and logs. Default: `cartesia`. */
  readonly name?: string
  /** Default: `ink-2`, which knows English. */
  readonly model?: string
  /** Sends PCM of this rate only, in Hz. Default: whatever fits the line. */
  readonly sampleRate?: SampleRate
  /** How sure Ink must be that the caller speaks, from 0.5 to 0.9. Default: 0.8. */
  readonly startThreshold?: number
  /** Below this, a turn has ended, from 0.05 to 0.5. Default: 0.2. */
  readonly endThreshold?: number
  /** Below this, a turn may have ended, from 0.3 to 0.6. Default: 0.4. */
  readonly eagerThreshold?: number
  /** Milliseconds of silence after which a turn ends in any case, from 640 to 11,200. Default: 5,600. */
  readonly endTimeout?: number
  /** Emits the ends of the user's turns. Default: true. */
  readonly endsTurns?: boolean
  /** Query parameters of the service, merged last into the address. */
  readonly extra?: Extra
}

const formats = [pcm(16_000), muLaw, aLaw, pcm(8_000), pcm(24_000)]
const encodings = { pcm: 'pcm_s16le', mulaw: 'pcm_mulaw', alaw: 'pcm_alaw' } as const

const optionNames: OptionNames<CartesiaSttOptions> = {
  apiKey: true,
  url: true,
  name: true,
  model: true,
  sampleRate: true,
  startThreshold: true,
  endThreshold: true,
  eagerThreshold: true,
  endTimeout: true,
  endsTurns: true,
  extra: true,
}

/**
 * Cartesia's Ink 2: English speech-to-text that detects the ends of turns itself.
 *
 * ```ts
 * const stt = new CartesiaStt()
 * ```
 */
export class CartesiaStt implements Stt {
  readonly name: string
  readonly product: string
  readonly hears: readonly AudioFormat[]
  readonly endsTurns: boolean
  readonly #options: CartesiaSttOptions
  readonly #url: string
  readonly #key: string

  /** Throws `MissingKeyError` without a key. */
  constructor(options: CartesiaSttOptions = {}) {
    checkOptions('CartesiaStt', options, optionNames)
    const { url = 'wss://api.cartesia.ai', sampleRate } = options
    this.name = options.name ?? 'cartesia'
    this.product = `cartesia/${options.model ?? MODEL}`
    this.hears = sampleRate === undefined ? formats : [pcm(sampleRate)]
    this.endsTurns = options.endsTurns ?? true
    this.#key = apiKey('cartesia', options.apiKey, 'CARTESIA_API_KEY')
    checkUrl('CartesiaStt', url)
    this.#url = `${url.replace(/\/$/, '')}/stt/turns/websocket`
    this.#options = options
  }

  open(
    context: PartContext,
    events: SttEvents,
    { format = this.hears[0]!, keyTerms = [] }: Partial<SttSetup> = {},
  ): Promise<SttStream> {
    const headers = { 'x-api-key': this.#key, 'cartesia-version': VERSION }
    const request = (now: SttSetup) => ({ url: `${this.#url}?${queryOf(this.#options, now)}`, headers })
    return new TurnStream(this, { format, keyTerms }, events, inkDialect(request)).open(context)
  }
}

function queryOf(options: CartesiaSttOptions, { format, keyTerms }: SttSetup): string {
  return queryString(
    {
      model: options.model ?? MODEL,
      encoding: encodings[format.encoding],
      sample_rate: format.sampleRate,
      turn_start_threshold: options.startThreshold,
      turn_end_threshold: options.endThreshold,
      turn_eager_end_threshold: options.eagerThreshold,
      turn_end_timeout_ms: options.endTimeout,
      keyterm: keyTerms,
    },
    options.extra,
  )
}
