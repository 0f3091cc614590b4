import { aLaw, muLaw, pcm, type AudioFormat, type SampleRate } from '../../audio/index.ts'
import type { PartContext, Stt, SttEvents, SttSetup, SttStream } from '../../parts/index.ts'
import { checkOptions, type OptionNames } from '../../scope/index.ts'
import { apiKey } from '../api-key.ts'
import { checkUrl } from '../check-url.ts'
import type { Extra } from '../extra.ts'
import { queryString } from '../query-string.ts'
import { TurnStream } from '../turn-stream.ts'
import { fluxDialect } from './flux-dialect.ts'

const MODEL = 'flux-general-en'

export interface DeepgramFluxSttOptions {
  /** Default: the environment variable `DEEPGRAM_API_KEY`. */
  readonly apiKey?: string
  /** The service's address. Default: `wss://api.deepgram.com`. */
  readonly url?: string
  /** The name in reports and logs. Default: `deepgram`. */
  readonly name?: string
  /** Default: `flux-general-en`. `flux-general-multi` knows more languages. */
  readonly model?: string
  /** The languages to expect, for `flux-general-multi`. Default: any. */
  readonly languages?: readonly string[]
  /** Sends PCM of this rate only, in Hz. Default: whatever fits the line. */
  readonly sampleRate?: SampleRate
  /** How sure Flux must be that the caller has finished, from 0.5 to 1. Default: 0.7. */
  readonly endThreshold?: number
  /** How sure it must be to emit `maybeEndOfTurn`, from 0.3 to 0.9. Default: it is never emitted. */
  readonly eagerThreshold?: number
  /** Milliseconds of silence after which a turn ends in any case, from 500 to 60,000. Default: 5,000. */
  readonly endTimeout?: number
  /** Emits the ends of the user's turns. Default: true. */
  readonly endsTurns?: boolean
  /** Ends the turn on `flush()`. Deepgram has to enable this, and closes the connection otherwise. Default: false. */
  readonly forceEndTurn?: boolean
  /** Query parameters of the service, merged last into the address: `{ numerals: true, tag: ['clinic'] }`. */
  readonly extra?: Extra
}

const formats = [pcm(16_000), muLaw, aLaw, pcm(8_000), pcm(24_000)]

const optionNames: OptionNames<DeepgramFluxSttOptions> = {
  apiKey: true,
  url: true,
  name: true,
  model: true,
  languages: true,
  sampleRate: true,
  endThreshold: true,
  eagerThreshold: true,
  endTimeout: true,
  endsTurns: true,
  forceEndTurn: true,
  extra: true,
}

/**
 * Deepgram's Flux: speech-to-text that detects the ends of turns itself.
 *
 * ```ts
 * const stt = new DeepgramFluxStt({ eagerThreshold: 0.5 })
 * ```
 */
export class DeepgramFluxStt implements Stt {
  readonly name: string
  readonly product: string
  readonly hears: readonly AudioFormat[]
  readonly endsTurns: boolean
  readonly #options: DeepgramFluxSttOptions
  readonly #url: string
  readonly #key: string

  /** Throws `MissingKeyError` without a key. */
  constructor(options: DeepgramFluxSttOptions = {}) {
    checkOptions('DeepgramFluxStt', options, optionNames)
    const { url = 'wss://api.deepgram.com', sampleRate } = options
    this.name = options.name ?? 'deepgram'
    this.product = `deepgram/${options.model ?? MODEL}`
    this.hears = sampleRate === undefined ? formats : [pcm(sampleRate)]
    this.endsTurns = options.endsTurns ?? true
    this.#key = apiKey('deepgram', options.apiKey, 'DEEPGRAM_API_KEY')
    checkUrl('DeepgramFluxStt', url)
    this.#url = `${url.replace(/\/$/, '')}/v2/listen`
    this.#options = options
  }

  open(
    context: PartContext,
    events: SttEvents,
    { format = this.hears[0]!, keyTerms = [] }: Partial<SttSetup> = {},
  ): Promise<SttStream> {
    const headers = { authorization: `Token ${this.#key}` }
    const request = (now: SttSetup) => ({ url: `${this.#url}?${queryOf(this.#options, now)}`, headers })
    const dialect = fluxDialect(request, this.#options.forceEndTurn ?? false)
    return new TurnStream(this, { format, keyTerms }, events, dialect).open(context)
  }
}

function queryOf(options: DeepgramFluxSttOptions, { format, keyTerms }: SttSetup): string {
  return queryString(
    {
      model: options.model ?? MODEL,
      encoding: format.encoding === 'pcm' ? 'linear16' : format.encoding,
      sample_rate: format.sampleRate,
      eot_threshold: options.endThreshold,
      eager_eot_threshold: options.eagerThreshold,
      eot_timeout_ms: options.endTimeout,
      language_hint: options.languages,
      keyterm: keyTerms,
    },
    options.extra,
  )
}
