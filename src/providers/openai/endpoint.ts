import type { Protocol } from '../../link/index.ts'
import { apiKey } from '../api-key.ts'
import { checkUrl } from '../check-url.ts'
import { type OptionNames } from '../../scope/index.ts'

/** How to reach OpenAI or a compatible service. */
export interface OpenAIEndpointOptions {
  /**
   * Default: the environment variable `OPENAI_API_KEY`, or with `auth: 'api-key'` `AZURE_OPENAI_API_KEY`. A function is
   * called before each connection, because ephemeral keys may expire during a call.
   */
  readonly apiKey?: string | (() => string)
  /**
   * The API's address, with `https:` or `wss:`; for Azure `https://NAME.openai.azure.com/openai/v1`. Default:
   * the environment variable `OPENAI_BASE_URL`, or `https://api.openai.com/v1`.
   */
  readonly url?: string
  /** The header that carries the key: `authorization: Bearer …`, or `api-key` as on Azure. Default: `bearer`. */
  readonly auth?: 'bearer' | 'api-key'
  /** Further headers: `{ 'openai-project': 'proj_…' }`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Further query parameters: `{ 'api-version': '2025-04-01-preview' }`. */
  readonly query?: Readonly<Record<string, string>>
}

export const endpointNames: OptionNames<OpenAIEndpointOptions> = {
  apiKey: true,
  url: true,
  auth: true,
  headers: true,
  query: true,
}

/** The service's address and credentials. Neither `inspect` nor `JSON.stringify` prints the key. */
export class OpenAIEndpoint {
  readonly #key: () => string
  readonly #url: string
  readonly #auth: 'bearer' | 'api-key'
  readonly #headers: Readonly<Record<string, string>>
  readonly #query: Readonly<Record<string, string>>

  /** Throws `MissingKeyError` without a key. */
  constructor(options: OpenAIEndpointOptions) {
    const { auth = 'bearer', headers = {}, query = {} } = options
    const url = options.url ?? (process.env['OPENAI_BASE_URL'] || 'https://api.openai.com/v1')
    const variable = auth === 'bearer' ? 'OPENAI_API_KEY' : 'AZURE_OPENAI_API_KEY'
    const { apiKey: given } = options
    if (typeof given === 'function') this.#key = () => apiKey('openai', given(), variable)
    else {
      const key = apiKey('openai', given, variable)
      this.#key = () => key
    }
    checkUrl('openai', url)
    this.#url = url.replace(/\/+$/, '')
    this.#auth = auth
    this.#headers = headers
    this.#query = query
  }

  /** The request that a link dials. Each dial uses the current key. */
  dialRequest(path: string, query: Readonly<Record<string, string>>): Protocol['request'] {
    return () => ({ url: this.#urlOf(path, query).replace(/^http/, 'ws'), headers: this.headers() })
  }

  httpUrl(path: string): string {
    return this.#urlOf(path, {}).replace(/^ws/, 'http')
  }

  headers(): Record<string, string> {
    const key = this.#key()
    const credentials = this.#auth === 'bearer' ? { authorization: `Bearer ${key}` } : { 'api-key': key }
    return { ...credentials, ...this.#headers }
  }

  #urlOf(path: string, query: Readonly<Record<string, string>>): string {
    const all = new URLSearchParams({ ...query, ...this.#query }).toString()
    return `${this.#url}${path}${all === '' ? '' : `?${all}`}`
  }
}
