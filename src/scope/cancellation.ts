import type { CancelledError } from './errors.ts'

/** The names and codes with which `fetch`, axios, got, p-cancelable and LLM SDKs report a cancelled call. */
const cancelNames = new Set([
  'AbortError',
  'CanceledError',
  'CancelError',
  'CancelledError',
  'APIUserAbortError',
])
const cancelCodes = new Set(['ABORT_ERR', 'ERR_CANCELED', 'ERR_CANCELLED'])
/** Causes that are followed. Errors can form a circle. */
const LONGEST_CHAIN = 10

/**
 * Whether a task that was cancelled with `reason` threw `error` because of the cancel (SC10): the error is the reason,
 * has the reason among its causes, or says that something was cancelled and gives no other cause. Never throws,
 * whatever getters the error has.
 */
export function isCancellation(reason: CancelledError, error: unknown): boolean {
  try {
    return stemsFrom(reason, error, LONGEST_CHAIN)
  } catch {
    return false
  }
}

function stemsFrom(reason: CancelledError, error: unknown, depth: number): boolean {
  if (error === reason) return true
  if (!(error instanceof Error) || depth === 0) return false
  if (error instanceof AggregateError)
    return error.errors.length > 0 && error.errors.every((each) => stemsFrom(reason, each, depth - 1))
  if (error.cause !== undefined && error.cause !== null) return stemsFrom(reason, error.cause, depth - 1)
  return saysCancelled(error)
}

function saysCancelled(error: Error & { readonly code?: unknown }): boolean {
  if (cancelNames.has(error.name) || cancelNames.has(error.constructor.name)) return true
  return typeof error.code === 'string' && cancelCodes.has(error.code)
}
