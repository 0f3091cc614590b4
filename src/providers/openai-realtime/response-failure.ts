import { ProviderError } from '../errors.ts'
import type { ResponseError } from './events.ts'

/** Errors that may not occur again. */
const TRANSIENT: ReadonlySet<unknown> = new Set([
  'server_error',
  'rate_limit_exceeded',
  'overloaded',
  'timeout',
])

/** Converts the error of a `response.done`: the service's own message, and whether the same request may succeed. */
export function responseFailure(provider: string, error: ResponseError = {}): ProviderError {
  const { type, code, message } = error
  // The code is more specific than the type: `insufficient_quota` stays wrong.
  const retryable = TRANSIENT.has(code ?? type)
  const why = [code ?? type, message].filter((each) => each !== undefined && each !== '').join(': ')
  return new ProviderError(provider, why, { retryable })
}
