import type { SocketEnd } from '../scope/index.ts'
import type { EndClass } from './link-end.ts'

/**
 * What an end means if the provider's own table does not say (LK2).
 *
 * Nobody asked for it: so 1000 is a drop like any other. What the peer will say again to the same words is fatal: a
 * refused request, an unknown key or model (1008), a frame it does not understand.
 */
export function classify({ how, code, status }: SocketEnd): EndClass {
  if (how === 'aborted') return 'asked'
  if (how === 'refused') return isTransient(status) ? 'refused' : 'fatal'
  return code !== undefined && fatalCodes.has(code) ? 'fatal' : 'dropped'
}

/** Unsupported or broken data, broken policy, too much data, missing extension: our own doing. */
const fatalCodes = new Set([1002, 1003, 1007, 1008, 1009, 1010])

/** The network refused, or the server has too much to do, or is broken. */
const isTransient = (status: number | undefined): boolean =>
  status === undefined || status === 429 || status >= 500
