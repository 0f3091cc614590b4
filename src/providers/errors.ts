import { redact } from '../link/index.ts'
import { clip, EndwellError } from '../scope/index.ts'

/** A provider was constructed without an API key. */
export class MissingKeyError extends EndwellError {
  constructor(provider: string, variable: string) {
    super(
      'MISSING_KEY',
      `${provider} needs an API key. Pass the apiKey option or set the environment variable ${variable}`,
    )
  }
}

/** Details of a provider's failure. */
export interface ProviderFailure {
  /** The HTTP status of the response. */
  readonly status?: number | undefined
  /** Whether the same request may succeed later. Default: true for status 408, 409, 429 and 5xx. */
  readonly retryable?: boolean | undefined
  /** The credentials of the request, which the vendor may repeat in its message. */
  readonly credentials?: readonly string[] | undefined
}

/**
 * A provider responded with an error, or its response broke off. `message` may be anything that a vendor sent; the
 * error's own message never contains an API key.
 */
export class ProviderError extends EndwellError {
  readonly status?: number
  readonly retryable: boolean

  constructor(
    provider: string,
    message: unknown,
    { status, retryable = isTransient(status), credentials = [] }: ProviderFailure = {},
  ) {
    const what = status === undefined ? `${provider} failed` : `${provider} answered with status ${status}`
    super('PROVIDER_FAILED', `${what}: ${describe(message, status, credentials)}${advice(status, retryable)}`)
    if (status !== undefined) this.status = status
    this.retryable = retryable
  }
}

function isTransient(status = 0): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500
}

/** At most this many characters of a provider's own message are repeated. */
const MAX_LENGTH = 300

/** The provider's message, with keys removed. Responses to a bad key are not repeated: they may quote the key. */
function describe(message: unknown, status: number | undefined, credentials: readonly string[]): string {
  if (status === 401 || status === 403) return 'not authorised'
  if (typeof message !== 'string' || message === '') return 'it gave no reason'
  return clip(redact(message, credentials), MAX_LENGTH)
}

function advice(status: number | undefined, retryable: boolean): string {
  if (status === 401 || status === 403) return '. Check the API key'
  if (status === 404) return '. Check the model name and the URL'
  return retryable ? '. Try again later, or configure a fallback' : ''
}
