import type { Protocol } from '../../link/index.ts'
import { apiKey } from '../api-key.ts'

/** How OpenAI, or a service that speaks like it, is reached. */
export interface OpenAIEndpointOptions {
  /**
   * The environment variable `OPENAI_API_KEY` unless set (`AZURE_OPENAI_API_KEY` for `auth: 'api-key'`). A function is asked
   * before each connection: ephemeral keys do not live as long as a call.
   */
  readonly apiKey?: string | (() => string)
  /**
   * Where the API is: `https://api.openai.com/v1` unless set; for Azure `https://NAME.openai.azure.com/openai/v1`. Both
   * `https:` and `wss:` are understood.
   */
  readonly url?: string
  /** How the key is shown: as `authorization: Bearer …` unless set; Azure wants `api-key`. */
  readonly auth?: 'bearer' | 'api-key'
  /** More headers: `{ 'openai-project': 'proj_…' }`. */
  readonly headers?: Readonly<Record<string, string>>
  /** More of the query: `{ 'api-version': '2025-04-01-preview' }`. */
  readonly query?: Readonly<Record<string, string>>
}

/** Where to go and what to show there. The key is in nobody's sight: neither `inspect` nor JSON show it. */
export class OpenAIEndpoint {
  readonly #key: () => string
  readonly #url: string
  readonly #auth: 'bearer' | 'api-key'
  readonly #headers: Readonly<Record<string, string>>
  readonly #query: Readonly<Record<string, string>>

  /** Throws `MissingKeyError` if there is no key. */
  constructor(options: OpenAIEndpointOptions) {
    const { auth = 'bearer', url = 'https://api.openai.com/v1', headers = {}, query = {} } = options
    const variable = auth === 'bearer' ? 'OPENAI_API_KEY' : 'AZURE_OPENAI_API_KEY'
    const { apiKey: given } = options
    if (typeof given === 'function') this.#key = () => apiKey('openai', given(), variable)
    else {
      const key = apiKey('openai', given, variable)
      this.#key = () => key
    }
    this.#url = url.replace(/\/+$/, '')
    this.#auth = auth
    this.#headers = headers
    this.#query = query
  }

  /** What a link dials, each time with the key of the moment. */
  dials(path: string, query: Readonly<Record<string, string>>): Protocol['request'] {
    return () => ({ url: this.#at(path, query).replace(/^http/, 'ws'), headers: this.headers() })
  }

  /** The address of a request over HTTP. */
  http(path: string): string {
    return this.#at(path, {}).replace(/^ws/, 'http')
  }

  headers(): Record<string, string> {
    const key = this.#key()
    const shown = this.#auth === 'bearer' ? { authorization: `Bearer ${key}` } : { 'api-key': key }
    return { ...shown, ...this.#headers }
  }

  #at(path: string, query: Readonly<Record<string, string>>): string {
    const all = new URLSearchParams({ ...query, ...this.#query }).toString()
    return `${this.#url}${path}${all === '' ? '' : `?${all}`}`
  }
}
