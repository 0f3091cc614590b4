import type { EndClass } from '../../link/index.ts'
import type { SocketEnd } from '../../scope/index.ts'

/**
 * The service's own table of ends; what it does not say is left to the link: 1007 (invalid argument, bad key) and 1008
 * (unknown model, unknown handle) are fatal, any other 1011 and an unasked 1000 are drops.
 *
 * `warned` is true when the service has said before that it would end this connection.
 */
export function classOf({ how, code, reason = '' }: SocketEnd, warned: boolean): EndClass | undefined {
  if (how !== 'closed') return undefined
  if (code === 1011 && /deadline expired/i.test(reason)) return 'expired'
  // What HTTP would call 429.
  if (code === 1011 && /quota|exhausted|billing/i.test(reason)) return 'refused'
  return warned && code !== 1007 ? 'expired' : undefined
}

/** Milliseconds of a duration as JSON has it: `10s`, `9.5s`. */
export function durationIn(text: string | undefined): number {
  const seconds = Number.parseFloat(text ?? '')
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1_000) : 0
}

/** Why a turn went wrong, if it did. */
export function troubleIn(reason: string | undefined): string | undefined {
  const fine = new Set(['TURN_COMPLETE_REASON_UNSPECIFIED', 'NEED_MORE_INPUT'])
  return reason === undefined || fine.has(reason) ? undefined : `it gave no answer (${reason})`
}
