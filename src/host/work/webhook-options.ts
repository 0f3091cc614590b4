import { OptionError, duration, systemClock, type Clock } from '../../scope/index.ts'
import { limits } from './limits.ts'

export interface WebhookOptions {
  /** Where to send the report: an `https:` address, or `http:` in a network that you trust. */
  readonly url: string
  /**
   * Signs the requests: `whsec_` and 24 to 64 random bytes in base64. With several, every request has a signature by each:
   * add the new secret first, remove the old one when all receivers know the new one.
   */
  readonly secret: string | readonly string[]
  /** Further headers, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** How long the receiver may take to answer. Default: 15 s. */
  readonly timeout?: number
  readonly clock?: Clock
}

export interface WebhookSettings {
  readonly url: string
  /** Names the receiver in errors. The rest of the address may contain a secret. */
  readonly host: string
  readonly keys: readonly Buffer[]
  readonly headers: Readonly<Record<string, string>>
  readonly timeout: number
  readonly clock: Clock
}

/** Validates the options. No error repeats a secret. */
export function webhookSettings(options: WebhookOptions): WebhookSettings {
  const { url, secret, headers = {}, timeout = 15_000, clock = systemClock } = options
  const problem = urlProblem(url) ?? headersProblem(headers)
  if (problem !== undefined) throw new OptionError(`webhook: ${problem}`)
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  if (secrets.length === 0 || secrets.length > limits.secrets)
    throw new OptionError(
      `webhook: there must be 1 to ${limits.secrets} secrets; there are ${secrets.length}`,
    )
  return {
    url,
    host: new URL(url).host,
    keys: secrets.map((each) => keyOf(each)),
    headers,
    timeout: duration('webhook: timeout', timeout),
    clock,
  }
}

function urlProblem(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return 'the url is not a URL'
  const { protocol, username, password, hash } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:')
    return `the url starts with '${protocol}', not with 'https:'`
  if (username !== '' || password !== '') return 'the url has a password in it: use an authorization header'
  return hash === '' ? undefined : "the url contains a '#'"
}

/** Headers that the request has already, or that only a connection may set. */
const RESERVED =
  /^(webhook-.*|traceparent|content-.*|host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect)$/i

function headersProblem(headers: Readonly<Record<string, unknown>>): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    if (RESERVED.test(name)) return `the header '${name}' cannot be set`
    if (typeof value !== 'string' || !isHeader(name, value)) return `the header '${name}' is invalid`
  }
  return undefined
}

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers([[name, value]]).has(name)
  } catch {
    return false
  }
}

const SECRET = /^whsec_([A-Za-z\d+/]+={0,2})$/
const MIN_BYTES = 24
const MAX_BYTES = 64

function keyOf(secret: unknown): Buffer {
  const [, text = ''] = typeof secret === 'string' ? (SECRET.exec(secret) ?? []) : []
  const key = Buffer.from(text, 'base64')
  if (key.length >= MIN_BYTES && key.length <= MAX_BYTES) return key
  throw new OptionError(
    `webhook: a secret must be whsec_ and ${MIN_BYTES} to ${MAX_BYTES} bytes in base64. ` +
      'Make one: echo "whsec_$(openssl rand -base64 32)"',
  )
}
