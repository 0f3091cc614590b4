import type { Protocol } from '../../link/index.ts'
import { apiKey } from '../api-key.ts'
import { checkUrl } from '../check-url.ts'
import { type OptionNames } from '../../scope/index.ts'

/** How to reach OpenAI or a compatible service. */
export interface OpenAIEndpointOptions {
  /**
   * Default: the environment variable `OPENAI_API_KEY`, or with `auth: 'api-key'` `AZURE_OPENAI_API_KEY`. A function is
   * called before each connection, because minted keys and tokens of Entra ID expire during a call. It may return a
   * promise; if that rejects, the connection counts as refused, and is retried.
   */
  readonly apiKey?: string | (() => string | Promise<string>)
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
  readonly #key: () => string | Promise<string>
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
    if (typeof given === 'function')
      this.#key = () => {
        const key = given()
        if (typeof key !== 'object') return apiKey('openai', key, variable)
        return Promise.resolve(key).then((settled) => apiKey('openai', settled, variable))
      }
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
    const url = this.#urlOf(path, query).replace(/^http/, 'ws')
    return () => {
      const key = this.#key()
      if (typeof key === 'string') return { url, headers: this.#headersWith(key) }
      return key.then((settled) => ({ url, headers: this.#headersWith(settled) }))
    }
  }

  /** Whose models these are: OpenAI's own, or undefined for those of a compatible service. */
  get vendor(): 'openai' | undefined {
    return new URL(this.#url).hostname === 'api.openai.com' ? 'openai' : undefined
  }

  httpUrl(path: string): string {
    return this.#urlOf(path, {}).replace(/^ws/, 'http')
  }

  async headers(): Promise<Record<string, string>> {
    return this.#headersWith(await this.#key())
  }

  #headersWith(key: string): Record<string, string> {
    const credentials = this.#auth === 'bearer' ? { authorization: `Bearer ${key}` } : { 'api-key': key }
    return { ...credentials, ...this.#headers }
  }

  #urlOf(path: string, query: Readonly<Record<string, string>>): string {
    const all = new URLSearchParams({ ...query, ...this.#query }).toString()
    return `${this.#url}${path}${all === '' ? '' : `?${all}`}`
  }
}
