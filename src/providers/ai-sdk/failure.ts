import { ProviderError } from '../errors.ts'

/**
 * Converts an error of an SDK model. The original is not kept as the cause: it contains the whole conversation and the
 * vendor's response headers.
 */
export function failureOf(name: string, error: unknown): ProviderError {
  const { statusCode, isRetryable, message } = fieldsOf(error)
  const status = typeof statusCode === 'number' ? statusCode : undefined
  if (typeof isRetryable === 'boolean')
    return new ProviderError(name, message, { status, retryable: isRetryable })
  if (status !== undefined) return new ProviderError(name, message, { status })
  return new ProviderError(name, message, { retryable: isNetworkError(error) })
}

type Fields = Partial<Record<'statusCode' | 'isRetryable' | 'message', unknown>>

/** Errors may be an `APICallError`, a JSON object from the stream, or a string. */
function fieldsOf(error: unknown): Fields {
  if (typeof error === 'string') return { message: error }
  return typeof error === 'object' && error !== null ? error : {}
}

/** When a connection fails or breaks, `fetch` and its response body throw a TypeError with a cause. */
function isNetworkError(error: unknown): boolean {
  return error instanceof TypeError && error.cause !== undefined
}
