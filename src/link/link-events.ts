import type { ConnectionReport } from './connection-report.ts'
import type { LinkEnd } from './link-end.ts'
import type { LinkErrorCode } from './link-error.ts'

export type LinkTimer =
  | 'open'
  | 'handshake'
  | 'retry'
  | 'roll-over'
  | 'leave'
  | 'acknowledgement'
  | 'close-frame'

/**
 * What the machine is told. `at` is when, in milliseconds of a monotonic clock. Connections are known by their
 * generation; what is told of one that is not there any more changes nothing.
 */
export type LinkEvent = { readonly at: number } & (
  | { readonly type: 'start' }
  /** The socket is open; the setup begins. */
  | { readonly type: 'opened'; readonly generation: number }
  /** The peer has agreed to the setup. */
  | { readonly type: 'ready'; readonly generation: number }
  /** The first message after that. */
  | { readonly type: 'answered'; readonly generation: number }
  | EndedEvent
  | { readonly type: 'roll-over'; readonly generation: number; readonly after: number }
  /** There is something to say: speech or text. */
  | { readonly type: 'wake' }
  /** More messages wait than may. */
  | { readonly type: 'overflow' }
  /** The protocol's own code threw. */
  | { readonly type: 'broken' }
  /** The scope has begun to close. */
  | { readonly type: 'intent' }
  /** It is the link's turn to be closed. */
  | { readonly type: 'close' }
  /** The protocol's own end was answered. */
  | { readonly type: 'acknowledged'; readonly generation: number }
  | { readonly type: 'abort' }
  /** A timer that was set for `due` has fired. */
  | { readonly type: 'timer'; readonly timer: LinkTimer; readonly due: number; readonly chance: number }
)

export interface EndedEvent {
  readonly type: 'ended'
  readonly generation: number
  readonly end: LinkEnd
  /** The socket still stands: the peer has only said that it is over, or says nothing any more. */
  readonly standing: boolean
  /** The conversation could be carried over. */
  readonly resumable: boolean
  /** From 0 to 1: jitter. */
  readonly chance: number
}

/**
 * What the machine wants done, in order. What calls the protocol's code without need comes last: that may cause the next
 * event, and nothing of this one must be left to do then.
 */
export type LinkCommand =
  /** Open a socket. The one command that a closing link has not. */
  { readonly type: 'dial'; readonly generation: number } | ClosingCommand

/** What there is to be done from the intent to close on. */
export type ClosingCommand =
  /** Tell me at `at`, by a `timer` event. Replaces the timer of that name, if one is set. */
  | { readonly type: 'set-timer'; readonly timer: LinkTimer; readonly at: number }
  | { readonly type: 'clear-timer'; readonly timer: LinkTimer }
  /** Use this connection from now on, beginning with what waits. */
  | { readonly type: 'serve'; readonly generation: number }
  /** Use no connection: what is sent has to wait. */
  | { readonly type: 'hold' }
  /** Hear nothing of this connection any more. */
  | { readonly type: 'fence'; readonly generation: number }
  /** Send the protocol's own end. */
  | { readonly type: 'send-ending'; readonly generation: number }
  /** Send the close frame. */
  | { readonly type: 'close'; readonly generation: number }
  /** Cut the socket; its end is not waited for. */
  | { readonly type: 'cut'; readonly generation: number }
  /** A connection that was ready is gone, and another will come. */
  | { readonly type: 'lost'; readonly end: LinkEnd }
  | OverCommand

/** The link is over. Always the last command there is. */
export interface OverCommand {
  readonly type: 'over'
  readonly how: ConnectionReport['how']
  readonly end: LinkEnd | undefined
  /** Nobody asked for it. */
  readonly error: LinkErrorCode | undefined
}
