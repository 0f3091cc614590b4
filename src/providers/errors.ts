import { EndwellError } from '../scope/index.ts'

/** A provider was made without its API key. Nothing has been opened. */
export class MissingKeyError extends EndwellError {
  constructor(provider: string, variable: string) {
    super(
      'MISSING_KEY',
      `${provider} needs an API key: pass it as the option apiKey, or set the environment variable ${variable}`,
    )
  }
}

/** What is known about the failure of a provider. */
export interface ProviderFailure {
  /** The HTTP status of its answer. */
  readonly status?: number | undefined
  /** Whether the same request may succeed later. */
  readonly retryable?: boolean | undefined
}

/** A provider has answered with an error, or not to the end. It never has a key in it. */
export class ProviderError extends EndwellError {
  readonly status?: number
  readonly retryable: boolean

  constructor(
    provider: string,
    message: string,
    { status, retryable = isPassing(status) }: ProviderFailure = {},
  ) {
    const what = status === undefined ? `${provider} failed` : `${provider} answered with status ${status}`
    super('PROVIDER_FAILED', `${what}: ${describe(message, status)}${advice(status, retryable)}`)
    if (status !== undefined) this.status = status
    this.retryable = retryable
  }
}

/** Too many requests, time-outs and troubles of the server pass. */
function isPassing(status = 0): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500
}

/** The longest piece of a provider's own words that is repeated. */
const WORDS = 300

/** What the provider says, without keys. About a wrong key it may say anything, the key included. */
function describe(message: string, status: number | undefined): string {
  if (status === 401 || status === 403) return 'not authorised'
  const words = message.replaceAll(/\b(bearer|token|sk|pk|api[-_]?key)([-_=: ]+)[\w.*/+=-]{6,}/gi, '$1$2…')
  return words.length <= WORDS ? words : `${words.slice(0, WORDS - 1)}…`
}

function advice(status: number | undefined, retryable: boolean): string {
  if (status === 401 || status === 403) return '. Check its API key'
  if (status === 404) return '. Check the name of the model and the URL'
  return retryable ? '. Try again later, or have another to fall back on' : ''
}
