import type { SocketEnd } from '../scope/index.ts'
import type { EndClass } from './link-end.ts'

/**
 * Classifies an unasked end that the provider's own table does not cover (LK2). An unasked 1000 is a drop like any
 * other. An end that would repeat itself is fatal: a rejected request, a bad key or model (1008), an invalid frame.
 */
export function classify({ how, code, status }: SocketEnd): EndClass {
  if (how === 'aborted') return 'asked'
  if (how === 'refused') return isTransient(status) ? 'refused' : 'fatal'
  return code !== undefined && fatalCodes.has(code) ? 'fatal' : 'dropped'
}

/** Protocol error, unsupported or invalid data, policy violation, message too big, missing extension. */
const fatalCodes = new Set([1002, 1003, 1007, 1008, 1009, 1010])

/** A network error, a rate limit, or a failing server. */
const isTransient = (status: number | undefined): boolean =>
  status === undefined || status === 429 || status >= 500
