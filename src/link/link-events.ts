import type { ConnectionReport } from './connection-report.ts'
import type { LinkEnd } from './link-end.ts'
import type { LinkErrorCode } from './link-error.ts'

export type LinkTimer =
  | 'open'
  | 'handshake'
  | 'retry'
  | 'roll-over'
  | 'retire'
  | 'acknowledgement'
  | 'close-frame'

/**
 * The input of the machine. `at` is in milliseconds of a monotonic clock. A connection is identified by its generation;
 * events of a connection that the machine no longer knows are ignored.
 */
export type LinkEvent = { readonly at: number } & (
  | { readonly type: 'start' }
  /** The socket is open, and the setup begins. */
  | { readonly type: 'opened'; readonly generation: number }
  /** The peer has accepted the setup. */
  | { readonly type: 'ready'; readonly generation: number }
  /** The first message after `ready`. */
  | { readonly type: 'answered'; readonly generation: number }
  | EndedEvent
  | { readonly type: 'roll-over'; readonly generation: number; readonly after: number }
  /** There is speech or text to send. */
  | { readonly type: 'wake' }
  /** The queue of control messages is full. */
  | { readonly type: 'overflow' }
  /** The protocol's request cannot succeed. */
  | { readonly type: 'invalid'; readonly problem: string }
  /** The protocol's code threw. */
  | { readonly type: 'broken' }
  /** The scope has begun to close. */
  | { readonly type: 'intent' }
  /** The scope has reached the link's phase. */
  | { readonly type: 'close' }
  /** The peer has acknowledged the ending frames. */
  | { readonly type: 'acknowledged'; readonly generation: number }
  | { readonly type: 'abort' }
  /** A timer that was set for `due` has fired. */
  | { readonly type: 'timer'; readonly timer: LinkTimer; readonly due: number; readonly jitter: number }
)

/** A connection has ended. */
export interface EndedEvent {
  readonly type: 'ended'
  readonly generation: number
  readonly end: LinkEnd
  /** The socket is still open: the peer announced the end in a message, or has stopped answering. */
  readonly socketOpen: boolean
  /** How long ago the last message arrived, if the connection is ended because its peer is silent. */
  readonly silentFor?: number
  /** Whether the conversation can be carried over to a new connection. */
  readonly resumable: boolean
  /** A random number from 0 to 1 for the delay of a retry. */
  readonly jitter: number
}

/**
 * The output of the machine, to be carried out in order. Commands that call the protocol's code come last where
 * possible: the protocol may cause the next event, which must find this one completely handled.
 */
export type LinkCommand =
  /** Open a socket. */
  { readonly type: 'dial'; readonly generation: number } | ClosingCommand

/** Every command that a closing link may still emit: all but `dial`. */
export type ClosingCommand =
  /** Send a `timer` event at `at`. Replaces a timer of the same name. */
  | { readonly type: 'set-timer'; readonly timer: LinkTimer; readonly at: number }
  | { readonly type: 'clear-timer'; readonly timer: LinkTimer }
  /** Make this the current connection and send it what is queued. */
  | { readonly type: 'use'; readonly generation: number }
  /** There is no current connection: queue what is sent. */
  | { readonly type: 'hold' }
  /** Ignore all further messages of this connection. */
  | { readonly type: 'fence'; readonly generation: number }
  /** Send the protocol's ending frames. */
  | { readonly type: 'send-ending'; readonly generation: number }
  /** Send the close frame. */
  | { readonly type: 'close'; readonly generation: number }
  /** Abort the socket, without waiting for its end. */
  | { readonly type: 'cut'; readonly generation: number }
  /** A ready connection has ended, and a new one will follow. */
  | { readonly type: 'lost'; readonly end: LinkEnd }
  | ClosedCommand

/** The link is closed for good. No command follows. */
export interface ClosedCommand {
  readonly type: 'closed'
  readonly how: ConnectionReport['how']
  readonly end: LinkEnd | undefined
  /** Set if the link failed, unset if it was asked to close. */
  readonly error: LinkErrorCode | undefined
}
