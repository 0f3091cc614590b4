import type { EndClass } from '../../link/index.ts'
import type { SocketEnd } from '../../scope/index.ts'

/**
 * Classifies a close code by the service's own meaning. The rest is left to the link: 1007 (invalid argument, bad key)
 * and 1008 (unknown model, unknown handle) are fatal, any other 1011 and an unasked 1000 are drops.
 *
 * `announced` is true if the service sent `goAway` before.
 */
export function classifyEnd({ how, code, reason = '' }: SocketEnd, announced: boolean): EndClass | undefined {
  if (how !== 'closed') return undefined
  if (code === 1011 && /deadline expired/i.test(reason)) return 'expired'
  // The service's equivalent of HTTP 429.
  if (code === 1011 && /quota|exhausted|billing/i.test(reason)) return 'refused'
  return announced && code !== 1007 ? 'expired' : undefined
}
