/**
 * Why a connection ended (LK2).
 *
 * - `asked`: we ended it
 * - `idle`: the provider ended an unused connection; the link sleeps until it is woken
 * - `expired`: the provider's session limit was reached; the link reconnects if the conversation can be carried over
 * - `dropped`: the connection broke, or the peer closed it unasked; the link reconnects within its retry budget
 * - `refused`: the connection could not be made this time (network, 429, 5xx); retried within the budget
 * - `fatal`: a retry would not help: a bad key, an unknown model, a mistake of ours
 */
export type EndClass = 'asked' | 'idle' | 'expired' | 'dropped' | 'refused' | 'fatal'

/** How a connection ended. */
export interface LinkEnd {
  readonly class: EndClass
  /** The close code, if there was one; 1006 if the connection broke. */
  readonly code?: number
  /** The peer's reason, cut to `limits.reason` characters. */
  readonly reason?: string
  /** The HTTP status of a refused upgrade. */
  readonly status?: number
}
