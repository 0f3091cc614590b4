import type { DialRequest } from '../../scope/index.ts'
import type {
  PartContext,
  Realtime,
  RealtimeEvents,
  RealtimeModel,
  RealtimeSetup,
} from '../../parts/index.ts'
import { apiKey } from '../api-key.ts'
import { LiveProtocol } from './live-protocol.ts'
import type { SetupOptions } from './setup.ts'
import { outputRate } from './turns.ts'

export interface GeminiLiveOptions {
  /** The environment variable `GEMINI_API_KEY`, or else `GOOGLE_API_KEY`, unless set. */
  readonly apiKey?: string
  /** An ephemeral token (`auth_tokens/…`) in place of a key. */
  readonly token?: string
  /** Where the service is: `wss://generativelanguage.googleapis.com` unless set. Not for Vertex AI. */
  readonly url?: string
  /** How it is called in reports: `gemini` unless set. */
  readonly name?: string
  /** `gemini-3.8-live` unless set. */
  readonly model?: string
  /** `Kore` or `Puck`, for instance; the model's own unless set. */
  readonly voice?: string
  /** What is spoken, `de-DE` for instance; the model finds out by itself unless set. */
  readonly language?: string
  readonly temperature?: number
  /** Milliseconds of silence after which the user has finished; the service's own choice unless set. */
  readonly silence?: number
  /** Milliseconds of speech before it counts as such; the service's own choice unless set. */
  readonly prefixPadding?: number
  /**
   * Old parts of the conversation make room for new ones, so that it may last: yes unless false; then it ends after
   * about 15 minutes. How many tokens are too many, and how many are left then, is the service's choice unless set.
   */
  readonly compression?: boolean | { readonly triggerTokens?: number; readonly targetTokens?: number }
  /** An answer fails when nothing comes of it for so long: 30 s unless set. */
  readonly stallTimeout?: number
  /** Whatever else the service knows, as fields of its setup: `{ safetySettings: […] }`. They replace ours. */
  readonly setup?: Readonly<Record<string, unknown>>
}

/**
 * Google's Gemini Live API: a model that hears and speaks.
 *
 * ```ts
 * const session = new Session({ agent, models: { realtime: new GeminiLive({ voice: 'Kore' }) }, line })
 * ```
 */
export class GeminiLive implements Realtime {
  readonly name: string
  readonly inputRate = 16_000
  readonly outputRate = outputRate
  readonly #request: () => Omit<DialRequest, 'name'>
  readonly #setup: SetupOptions
  readonly #stallTimeout: number

  /** Throws `MissingKeyError` if there is neither a key nor a token. */
  constructor(options: GeminiLiveOptions = {}) {
    const { model = 'gemini-3.8-live', compression = true, setup: extra } = options
    this.name = options.name ?? 'gemini'
    this.#request = requestOf(options)
    this.#setup = { ...options, model, compression, extra }
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

/** Keys and tokens travel in headers: addresses are written down in more places. */
function requestOf({
  url = 'wss://generativelanguage.googleapis.com',
  token,
  ...options
}: GeminiLiveOptions): () => Omit<DialRequest, 'name'> {
  const service = `${url.replace(/\/$/, '')}/ws/google.ai.generativelanguage`
  if (token !== undefined)
    return () => ({
      url: `${service}.v1alpha.GenerativeService.BidiGenerateContentConstrained`,
      headers: { authorization: `Token ${token}` },
    })
  const other = process.env['GEMINI_API_KEY']?.trim() ? undefined : process.env['GOOGLE_API_KEY']
  const key = apiKey('gemini', options.apiKey ?? other, 'GEMINI_API_KEY')
  return () => ({
    url: `${service}.v1beta.GenerativeService.BidiGenerateContent`,
    headers: { 'x-goog-api-key': key },
  })
}
