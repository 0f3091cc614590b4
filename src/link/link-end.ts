/**
 * The class of an end (LK2).
 *
 * - `asked`: we ended it
 * - `idle`: the provider ends connections on which nothing happens; the link sleeps until it is woken
 * - `expired`: the provider's limit for a session was reached; opened anew if the conversation can be carried over
 * - `dropped`: it broke, or was closed though nobody asked; opened anew likewise, within the budget
 * - `refused`: it could not be made this time (network, 429, 5xx); tried again within the budget
 * - `fatal`: trying again would not help: bad key, unknown model, our own mistake
 */
export type EndClass = 'asked' | 'idle' | 'expired' | 'dropped' | 'refused' | 'fatal'

/** How a connection ended. */
export interface LinkEnd {
  readonly class: EndClass
  /** The close code, if there was one; 1006 if it broke. */
  readonly code?: number
  /** The peer's words, cut to `limits.reason`. */
  readonly reason?: string
  /** The HTTP status of a refused upgrade. */
  readonly status?: number
}
