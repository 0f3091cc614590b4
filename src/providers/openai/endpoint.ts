import type { Protocol } from '../../link/index.ts'
import { keySource } from '../api-key.ts'
import { checkUrl } from '../check-url.ts'
import { OptionError, type OptionNames } from '../../scope/index.ts'

/** How the service is told who calls. */
export type OpenAIAuth = 'bearer' | 'api-key' | 'entra-id'

/** How to reach OpenAI, Azure OpenAI or a compatible service. */
export interface OpenAIEndpointOptions {
  /**
   * Default: the environment variable `OPENAI_API_KEY`, or with `auth: 'api-key'` `AZURE_OPENAI_API_KEY`. A function is
   * called before each connection, because minted keys and tokens of Entra ID expire during a call. It may return a
   * promise; if that rejects, the connection counts as refused, and is retried. `auth: 'entra-id'` requires a function.
   */
  readonly apiKey?: string | (() => string | Promise<string>)
  /**
   * The API's address, with `https:` or `wss:`. Default: the environment variable `OPENAI_BASE_URL`, or
   * `https://api.openai.com/v1`. For Azure it is `https://NAME.openai.azure.com/openai/v1`. Default on Azure:
   * `/openai/v1` of the environment variable `AZURE_OPENAI_ENDPOINT`.
   */
  readonly url?: string
  /**
   * How the key is sent: `bearer` in `authorization: Bearer …`, and on Azure `api-key` in a header of that name, or
   * `entra-id` for a token of Entra ID, as a bearer. Default: `bearer`.
   */
  readonly auth?: OpenAIAuth
  /** Further headers: `{ 'openai-project': 'proj_…' }`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Further query parameters. Azure's `api-version` is for HTTP only: for a realtime API it selects the preview. */
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
  readonly #auth: OpenAIAuth
  readonly #headers: Readonly<Record<string, string>>
  readonly #query: Readonly<Record<string, string>>

  /** Throws `MissingKeyError` without a key. */
  constructor(options: OpenAIEndpointOptions) {
    const { auth = 'bearer', headers = {}, query = {} } = options
    this.#key = currentKey(options.apiKey, auth)
    const url = options.url ?? defaultUrl(auth)
    checkUrl('openai', url)
    const [address = '', search] = url.split('?')
    this.#url = address.replace(/\/+$/, '')
    this.#auth = auth
    this.#headers = headers
    this.#query = { ...Object.fromEntries(new URLSearchParams(search)), ...query }
  }

  /** The request that a link dials. Each dial uses the current key. Throws if the address is that of another protocol. */
  dialRequest(path: string, query: Readonly<Record<string, string>>): Protocol['request'] {
    if ('api-version' in this.#query)
      throw new OptionError(
        "openai: 'api-version' selects the preview of Azure's realtime API, which has another protocol. Leave it out, and use a url such as https://NAME.openai.azure.com/openai/v1",
      )
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
    const credentials = this.#auth === 'api-key' ? { 'api-key': key } : { authorization: `Bearer ${key}` }
    return { ...credentials, ...this.#headers }
  }

  #urlOf(path: string, query: Readonly<Record<string, string>>): string {
    const all = new URLSearchParams({ ...query, ...this.#query }).toString()
    return `${this.#url}${path}${all === '' ? '' : `?${all}`}`
  }
}

/** The key as it is now. */
function currentKey(
  given: OpenAIEndpointOptions['apiKey'],
  auth: OpenAIAuth,
): () => string | Promise<string> {
  if (auth === 'entra-id' && typeof given !== 'function')
    throw new OptionError(
      "openai: auth 'entra-id' needs an apiKey that is a function and returns a token, because tokens expire during a call",
    )
  return keySource('openai', given, auth === 'api-key' ? 'AZURE_OPENAI_API_KEY' : 'OPENAI_API_KEY')
}

function defaultUrl(auth: OpenAIAuth): string {
  const base = process.env['OPENAI_BASE_URL']
  if (auth === 'bearer') return base || 'https://api.openai.com/v1'
  const azure = process.env['AZURE_OPENAI_ENDPOINT']
  if (azure) return `${azure.replace(/\/+$/, '')}/openai/v1`
  if (base) return base
  throw new OptionError(
    'openai: the address of Azure is missing. Pass the url option, or set the environment variable AZURE_OPENAI_ENDPOINT to https://NAME.openai.azure.com',
  )
}
