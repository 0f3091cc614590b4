import type { DialRequest, Network, Random, Scope, SocketEnd } from '../scope/index.ts'
import type { ConnectionReport } from './connection-report.ts'
import type { EndClass, LinkEnd } from './link-end.ts'
import type { LinkError } from './link-error.ts'

/** What a link carries: text or bytes. */
export type Data = string | Uint8Array

/** What a link needs to be opened. A `PartContext` fits. */
export interface LinkContext {
  /** Owns the link. When it closes, the link is notified before anything else happens (LK1). */
  readonly scope: Scope<string>
  readonly network: Network
  /** The source of retry jitter. */
  readonly random: Random
  readonly logger: LinkLogger
  /** Called once, when the link has closed for good. */
  readonly ended: (connection: ConnectionReport) => void
}

export interface LinkLogger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/**
 * The provider's side of a link: everything the link has to know about a vendor's protocol. The link itself handles
 * timeouts, retries, queues and ends. All methods are synchronous. A method that throws fails this link, with the error
 * as `cause`, and nothing else.
 *
 * A minimal protocol:
 *
 * ```ts
 * const link = await Link.open(context, {
 *   name: 'echo',
 *   request: () => ({ url: 'wss://example.com/echo', headers: { authorization: `Bearer ${key}` } }),
 *   message: (data) => events.heard(String(data)),
 *   failed: (error) => events.failed(error),
 * })
 * link.send('hello')
 * ```
 */
export interface Protocol {
  /** The name of the link in reports, logs and errors. */
  readonly name: string
  /**
   * Returns the request to dial. Called before each attempt, so that it can hold a fresh token or resumption handle. A
   * promise counts towards the time limit of the attempt; if it rejects, the attempt counts as refused.
   */
  request(): LinkRequest | Promise<LinkRequest>
  /**
   * A connection is open. Send its setup here, and call `connection.ready()` once the peer has accepted it, here or in
   * `message`. Without this method, a connection is ready as soon as it is open.
   */
  opened?(connection: LinkConnection): void
  /** A message arrived on `connection`. Not called while the link is closing: see `ending`. */
  message(data: Data, connection: LinkConnection): void
  /**
   * A ready connection has ended, and a new one will follow. Work in progress is lost, or has to be sent again when the
   * next connection is `opened`. For a rollover the class is `asked`.
   */
  lost?(end: LinkEnd): void
  /** The link has failed. Called at most once, and last. */
  failed(error: LinkError): void

  /**
   * Classifies an end by the provider's own table. Returns undefined to use the link's table. Only this method can
   * classify an end as `idle` or `expired`.
   */
  classify?(end: SocketEnd): EndClass | undefined
  /** Whether the conversation can be carried over to a new connection now. Default: always. */
  canResume?(): boolean

  /** How the protocol ends a connection (LK7), and what handles the last messages. */
  readonly ending?: Ending
  /** Keeps an unused connection open. */
  readonly keepAlive?: KeepAlive
  /** How planned rollovers work (LK8). Default: new socket first. */
  readonly rollover?: Rollover
  readonly timing?: LinkTiming
  readonly queue?: QueueLimits
  readonly inbound?: InboundLimits
  /**
   * Only for a peer known not to answer close frames: its socket is cut after this many milliseconds and counts as
   * `closed` (CL13). Any other peer has `timing.closeFrame`, and a cut counts as `aborted`.
   */
  readonly closePatience?: number
}

export type LinkRequest = Omit<DialRequest, 'name'>

/** One connection of the link, as its protocol sees it. Does nothing once another connection has replaced it. */
export interface LinkConnection {
  /** 1 for the first connection, incremented with each dial. */
  readonly generation: number
  /** Sends on this connection, ready or not, bypassing the queue. Meant for setup messages. */
  send(data: Data): void
  /** The peer has accepted the setup: the link uses this connection from now on. */
  ready(): void
  /** Moves to a new connection after `after` milliseconds. Default: 0. Of several requests, the earliest counts. */
  rollOver(after?: number): void
  /** The peer announced the end of this connection in a message, such as `session_expired`. */
  end(as: Exclude<EndClass, 'asked'>, reason?: string): void
}

export interface Ending {
  /** Returns the frames that end the conversation, such as `CloseStream`. Sent as soon as the link begins to close. */
  frames?(): readonly Data[]
  /**
   * Receives every message while the link is closing, in place of `message`: the last transcript of an STT, and the
   * acknowledgement. Returns true for the acknowledgement.
   */
  answer?(data: Data): boolean
  /** The time limit for the acknowledgement, in milliseconds. Default: 1 s. */
  readonly within?: number
}

export interface KeepAlive {
  /** Returns the frame to send. */
  frame(): Data
  /**
   * Interval in milliseconds. The frame is sent at the end of each interval in which nothing else was sent, so no
   * silence is longer than two intervals.
   */
  readonly every: number
  /** Sends the frame in every interval. Default: false. */
  readonly always?: boolean
}

export interface Rollover {
  /**
   * - `new-first`: the old connection stays in use until the new one is ready
   * - `old-first`: for a peer that refuses a second connection; messages are queued meanwhile
   */
  readonly order: 'new-first' | 'old-first'
  /** Rolls each connection over this many milliseconds after `ready`. */
  readonly maxAge?: number
}

/** Times are in milliseconds. */
export interface LinkTiming {
  /** The time limit for TCP, upgrade and setup of one attempt. Default: 5 s. */
  readonly handshake?: number
  /** The time limit for `Link.open`, retries included. Default: 8 s. */
  readonly open?: number
  /** How many consecutive failures are retried. Default: 5. */
  readonly retries?: number
  /** How many failures are retried in the life of the link. Default: 100. */
  readonly lifetimeRetries?: number
  /** A connection that was ready for this long, and has answered, resets the count of failures. Default: 10 s. */
  readonly healthyAfter?: number
  /** The delay before a retry is random between 0 and this, doubled with each consecutive failure. Default: 250. */
  readonly backoff?: number
  /** The upper bound of that delay. Default: 5 s. */
  readonly longestBackoff?: number
  /** The time limit for a message from the peer after `expectAnswer()`; then the connection is dropped. Default: 8 s. */
  readonly answer?: number
  /** The time limit for the answer to a ping; then the connection is dropped. Default: 5 s. */
  readonly pong?: number
  /** The time limit for the answer to our close frame. Default: 1.5 s. */
  readonly closeFrame?: number
}

/** How much the peer may send per second, on average (LK14). A peer that sends more is cut. */
export interface InboundLimits {
  /** Messages. Default: 5,000. */
  readonly messages?: number
  /** Bytes of text or data. Default: 16 MiB. */
  readonly bytes?: number
}

/** How much is queued while no connection can take it (LK10). */
export interface QueueLimits {
  /** Audio messages; the oldest is dropped for a new one. Default: 250, which is 5 s of 20 ms frames. */
  readonly audio?: number
  /** Other messages; one more fails the link. Default: 1,000. */
  readonly control?: number
}
