import { pcm } from '../../audio/index.ts'
import type { Protocol } from '../../link/index.ts'
import { checkOptions, type OptionNames } from '../../scope/index.ts'
import type {
  PartContext,
  Realtime,
  RealtimeEvents,
  RealtimeModel,
  RealtimeSetup,
} from '../../parts/index.ts'
import { apiKey } from '../api-key.ts'
import { checkUrl } from '../check-url.ts'
import type { Extra } from '../extra.ts'
import { abilitiesOf } from './abilities.ts'
import { LiveProtocol } from './live-protocol.ts'
import type { SetupOptions } from './setup.ts'
import { outputRate } from './turns.ts'
import { vertexModelOf, vertexNames, vertexRequestOf, type GeminiVertexOptions } from './vertex.ts'

export interface GeminiLiveOptions {
  /** Default: the environment variable `GEMINI_API_KEY` or `GOOGLE_API_KEY`. */
  readonly apiKey?: string
  /** An ephemeral token (`auth_tokens/…`) to use instead of a key. */
  readonly token?: string
  /** Uses Vertex AI in place of the Gemini API. Needs neither `apiKey` nor `token`. */
  readonly vertex?: GeminiVertexOptions
  /** The service's address. Default: `wss://generativelanguage.googleapis.com`, or that of the location on Vertex AI. */
  readonly url?: string
  /** The name in reports and logs. Default: `gemini`. */
  readonly name?: string
  /** Default: `gemini-3.8-live`. */
  readonly model?: string
  /** For example `Kore` or `Puck`. Default: the model's own. */
  readonly voice?: string
  /** The spoken language, for example `de-DE`. Default: detected by the model. */
  readonly language?: string
  readonly temperature?: number
  /** Milliseconds of silence after which the user has finished. Default: the service's own. */
  readonly silence?: number
  /** Milliseconds of sound before it counts as speech. Default: the service's own. */
  readonly prefixPadding?: number
  /**
   * Drops the oldest parts of a long conversation, which would otherwise end after about 15 minutes. The token counts at
   * which it starts and stops dropping default to the service's own. Default: true.
   */
  readonly compression?: boolean | { readonly triggerTokens?: number; readonly targetTokens?: number }
  /** How long an answer may go without a message before it fails. Default: 30 s. */
  readonly stallTimeout?: number
  /** Fields of the service's own protocol, merged last into its setup message: `{ safetySettings: […] }`. */
  readonly extra?: Extra
}

/** The model that is used unless another one is chosen. */
export const MODEL = 'gemini-3.8-live'

const optionNames: OptionNames<GeminiLiveOptions> = {
  apiKey: true,
  token: true,
  vertex: true,
  url: true,
  name: true,
  model: true,
  voice: true,
  language: true,
  temperature: true,
  silence: true,
  prefixPadding: true,
  compression: true,
  stallTimeout: true,
  extra: true,
}

/**
 * Google's Gemini Live API, a speech-to-speech model.
 *
 * ```ts
 * const session = new Session({ agent, models: { realtime: new GeminiLive({ voice: 'Kore' }) }, line })
 * ```
 */
export class GeminiLive implements Realtime {
  readonly name: string
  readonly product: string
  readonly hears = [pcm(16_000)]
  readonly speaks = [pcm(outputRate)]
  readonly #request: Protocol['request']
  readonly #setup: SetupOptions
  readonly #stallTimeout: number

  /** Throws `MissingKeyError` without a key or a token. */
  constructor(options: GeminiLiveOptions = {}) {
    checkOptions('GeminiLive', options, optionNames)
    const { model: chosen = MODEL, compression = true, vertex } = options
    if (typeof compression === 'object')
      checkOptions('GeminiLive: compression', compression, { triggerTokens: true, targetTokens: true })
    this.name = options.name ?? 'gemini'
    this.product = `google/${chosen}`
    if (vertex) checkOptions('GeminiLive: vertex', vertex, vertexNames)
    this.#request = vertex ? vertexRequestOf(vertex, options.url) : requestOf(options)
    const abilities = abilitiesOf(chosen, vertex !== undefined)
    const model = vertex ? vertexModelOf(vertex, chosen) : chosen.includes('/') ? chosen : `models/${chosen}`
    this.#setup = { ...options, model, compression, abilities }
    this.#stallTimeout = options.stallTimeout ?? 30_000
  }

  open(context: PartContext, setup: RealtimeSetup, events: RealtimeEvents): Promise<RealtimeModel> {
    const protocol = new LiveProtocol(context, setup, events, {
      name: this.name,
      request: this.#request,
      setup: this.#setup,
      stallTimeout: this.#stallTimeout,
    })
    return protocol.open()
  }
}

/** Keys and tokens are sent in headers, because URLs are logged in more places. */
function requestOf({
  url = 'wss://generativelanguage.googleapis.com',
  token,
  ...options
}: GeminiLiveOptions): Protocol['request'] {
  checkUrl('GeminiLive', url)
  const service = `${url.replace(/\/$/, '')}/ws/google.ai.generativelanguage`
  if (token !== undefined)
    return () => ({
      url: `${service}.v1alpha.GenerativeService.BidiGenerateContentConstrained`,
      headers: { authorization: `Token ${token}` },
    })
  const fallback = process.env['GEMINI_API_KEY']?.trim() ? undefined : process.env['GOOGLE_API_KEY']
  const key = apiKey('gemini', options.apiKey ?? fallback, 'GEMINI_API_KEY')
  return () => ({
    url: `${service}.v1beta.GenerativeService.BidiGenerateContent`,
    headers: { 'x-goog-api-key': key },
  })
}
