import type { DialRequest, Network, Random, Scope, SocketEnd } from '../scope/index.ts'
import type { ConnectionReport } from './connection-report.ts'
import type { EndClass, LinkEnd } from './link-end.ts'
import type { LinkError } from './link-error.ts'

/** What goes over a link: text, or bytes. */
export type Data = string | Uint8Array

/** What a link is opened with; a part's own context fits. */
export interface LinkContext {
  /** Owns the link: when it closes, the link learns so before anything else happens (LK1). */
  readonly scope: Scope<string>
  readonly network: Network
  /** Where the jitter of retries is drawn from. */
  readonly random: Random
  readonly logger: LinkLogger
  /** Told once, when the link is over for good. */
  readonly ended: (connection: ConnectionReport) => void
}

export interface LinkLogger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/**
 * All that a link has to know of a protocol: what a provider writes. The rest (time-outs, retries, queues, ends) is the
 * link's. No method may wait; what one throws is fatal for the link, and for nothing else.
 *
 * The least there is:
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
  /** What the link is called in reports, logs and errors. */
  readonly name: string
  /** What to dial. Asked before each attempt: a resumption handle, a new token. */
  request(): Omit<DialRequest, 'name'>
  /**
   * A connection is open: send its setup over it, and call `connection.ready()` when the peer has agreed, here or in
   * `message`. Without this method a connection is ready when it is open.
   */
  opened?(connection: LinkConnection): void
  /** A message came over `connection`. Never called once the link is closing: see `ending`. */
  message(data: Data, connection: LinkConnection): void
  /**
   * A connection that was ready is gone, and another will come: what was under way on it is lost, or has to be sent
   * again when the next one is `opened`. For a rollover its class is `asked`.
   */
  lost?(end: LinkEnd): void
  /** The link is over though nobody asked. Comes once at most, and nothing after it. */
  failed(error: LinkError): void

  /** The provider's own table of ends; undefined leaves it to the link's. Only this can call an end `idle` or `expired`. */
  classify?(end: SocketEnd): EndClass | undefined
  /** Whether the conversation can be carried over to a new connection, right now. Always, unless set. */
  canResume?(): boolean

  /** The protocol's own end, if it has one (LK7), and whoever wants to hear the last answers. */
  readonly ending?: Ending
  /** What keeps an unused connection open. */
  readonly keepAlive?: KeepAlive
  /** How planned rollovers go; new socket first unless set (LK8). */
  readonly rollover?: Rollover
  readonly timing?: LinkTiming
  readonly queue?: QueueLimits
  /**
   * Only for a peer known not to answer close frames: it is cut after so long, and that counts as `closed` (CL13).
   * Any other is given `timing.closeFrame`, and the cut counts as `aborted`.
   */
  readonly closePatience?: number
}

/** One connection of the link, as its protocol sees it. Once another has taken its place, it does nothing. */
export interface LinkConnection {
  /** 1 for the first, and one more for each that was dialled. */
  readonly generation: number
  /** Sends over this very connection, ready or not, past the queue: what a setup is made of. */
  send(data: Data): void
  /** The peer has agreed: from here on the link uses this connection. */
  ready(): void
  /** Moves to a new connection, `after` so many milliseconds; at once unless set. The nearest time counts. */
  rollOver(after?: number): void
  /** The peer said, in its own words, that this connection is over: `session_expired`, for instance. */
  end(as: Exclude<EndClass, 'asked'>, reason?: string): void
}

export interface Ending {
  /** The frames that end it: `CloseStream`. Sent as soon as the link learns that it is closing. */
  frames?(): readonly Data[]
  /**
   * Hears everything that comes while the link is closing, in place of `message`: the last words of an STT, and the
   * acknowledgement. True says that this was it.
   */
  answer?(data: Data): boolean
  /** How long the acknowledgement is waited for once the link is closed: 1 s unless set. */
  readonly within?: number
}

export interface KeepAlive {
  /** Asked for each time. */
  frame(): Data
  /** Milliseconds. Sent each time they have passed with nothing else sent, so that no silence is twice as long. */
  readonly every: number
  /** Sent each time, whatever else was sent. */
  readonly always?: boolean
}

export interface Rollover {
  /**
   * - `new-first`: the old connection serves until the new one is ready
   * - `old-first`: for a peer that refuses a second one; what is sent meanwhile waits
   */
  readonly order: 'new-first' | 'old-first'
  /** Milliseconds after which each connection is rolled over, counted from `ready`. */
  readonly maxAge?: number
}

/** All in milliseconds, except where it says otherwise. */
export interface LinkTiming {
  /** For TCP, upgrade and setup of one attempt, until `ready`: 5 s unless set. */
  readonly handshake?: number
  /** For the whole of `Link.open`, retries included: 8 s unless set. */
  readonly open?: number
  /** How many failures in a row are tried again: 5 unless set. */
  readonly retries?: number
  /** How many in the life of the link: 100 unless set. */
  readonly lifetimeRetries?: number
  /** A connection that was ready so long, and has answered, makes the failures before it forgotten: 10 s unless set. */
  readonly healthyAfter?: number
  /** The wait before a retry is drawn from 0 to this, which doubles with each failure: 250 unless set. */
  readonly backoff?: number
  /** And is never longer than this: 5 s unless set. */
  readonly longestBackoff?: number
  /** After something was sent by `send`, the peer must say something within this, or the connection is cut. Off unless set. */
  readonly answer?: number
  /** How long an answer to our close frame is waited for: 1.5 s unless set. */
  readonly closeFrame?: number
}

/** How much may wait while there is no connection that can take it (LK10). */
export interface QueueLimits {
  /** Pieces of audio; the oldest is dropped for a new one: 250 unless set, five seconds of the usual 20 ms. */
  readonly audio?: number
  /** Other messages. One more is fatal: 1,000 unless set. */
  readonly control?: number
}
