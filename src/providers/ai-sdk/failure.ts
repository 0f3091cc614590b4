import { ProviderError } from '../errors.ts'

/**
 * What a model of the SDK threw, as an error of ours. The original is not kept as its cause: it has the whole
 * conversation in it, and whatever headers the vendor sent.
 */
export function failureOf(name: string, error: unknown): ProviderError {
  const { statusCode, isRetryable, message } = fieldsOf(error)
  const status = typeof statusCode === 'number' ? statusCode : undefined
  const words = typeof message === 'string' && message !== '' ? message : 'it does not say why'
  if (typeof isRetryable === 'boolean')
    return new ProviderError(name, words, { status, retryable: isRetryable })
  if (status !== undefined) return new ProviderError(name, words, { status })
  return new ProviderError(name, words, { retryable: isOfNetwork(error) })
}

type Fields = Partial<Record<'statusCode' | 'isRetryable' | 'message', unknown>>

/** Errors come as objects of many kinds: an `APICallError`, JSON out of a stream, or plain words. */
function fieldsOf(error: unknown): Fields {
  if (typeof error === 'string') return { message: error }
  return typeof error === 'object' && error !== null ? error : {}
}

/** When a connection cannot be made or breaks, `fetch` and the body of its answer throw a TypeError with a cause. */
function isOfNetwork(error: unknown): boolean {
  return error instanceof TypeError && error.cause !== undefined
}
