import {
  Registry,
  origin,
  type DialRequest,
  type Live,
  type Network,
  type Socket,
  type SocketEnd,
  type SocketEvents,
} from '../scope/index.ts'
import type { SimClock } from './sim-clock.ts'
import type { SimRandom } from './sim-random.ts'

/** How a server treats a connection. Default: correctly and quickly. All times are in milliseconds. */
export interface Manners {
  /** How long connecting takes. `never` leaves the upgrade unanswered. Default: 1. */
  connect?: number | 'never'
  /** Refuses the connection with this HTTP status, or at the network level if 0. */
  refuse?: number
  /** The connection goes dead after this time: nothing arrives in either direction, and neither side is notified. */
  halfOpenAfter?: number
  /** From this time on the server sends no message, although it stays connected, reads, and answers pings. */
  silentAfter?: number
  /** Whether the server answers pings. Default: true. */
  pongs?: boolean
  /** The connection breaks after this time. */
  dropAfter?: number
  /** How long the answer to the client's close frame takes. `never` ignores it. Default: 1. */
  closeReply?: number | 'never'
  /** How long a message takes to arrive. Default: 1. */
  latency?: number
  opened?: (peer: Peer) => void
  message?: (peer: Peer, data: string | Uint8Array) => void
  /** The client's close frame has arrived and is about to be answered. */
  closed?: (peer: Peer) => void
  /** The connection has ended. Called once, last, and only after `opened`. */
  ended?: (peer: Peer) => void
}

/** The server's side of a socket. Its methods do nothing after the end. */
export interface Peer {
  /** The request. Header names are in lower case, as servers see them. */
  readonly request: DialRequest
  /** Whether the connection is still open. */
  readonly open: boolean
  send(data: string | Uint8Array): void
  /** Sends a ping, with at most 125 bytes of data. */
  ping(data?: string): void
  close(code?: number, reason?: string): void
  drop(): void
  /** Stops reading: messages pile up at the sender. */
  pause(): void
  resume(): void
  /** Calls `callback` once, unless the connection ends first. */
  after(ms: number, callback: () => void): void
}

/** A network in virtual time. `serve` decides how each connection is treated. */
export class SimNetwork implements Network {
  readonly sockets = new Registry()
  /** The number of dials, including refused ones. */
  dials = 0
  /** Decides how a connection is treated. Default: correctly. */
  serve: (request: DialRequest, random: SimRandom) => Manners = () => ({})
  readonly #clock: SimClock
  readonly #random: SimRandom
  readonly #log: (text: string) => void

  constructor(clock: SimClock, random: SimRandom, log: (text: string) => void = () => {}) {
    this.#clock = clock
    this.#random = random
    this.#log = log
  }

  dial(request: DialRequest, events: SocketEvents): Socket {
    this.dials++
    const received = withLowerCaseHeaders(request)
    const manners = this.serve(received, this.#random)
    return new SimSocket(this.sockets, this.#clock, received, manners, events, this.#log)
  }
}

/** A class, because a getter in an object literal keeps the whole life alive until the next full garbage collection. */
class PeerState {
  readonly #socket: SimSocket

  constructor(socket: SimSocket) {
    this.#socket = socket
  }

  get open(): boolean {
    return this.#socket.state !== 'ended'
  }
}

class SimSocket implements Socket, Live {
  readonly kind = 'socket'
  readonly name: string
  readonly origin = origin()
  buffered = 0
  state: Socket['state'] = 'connecting'
  readonly #registry: Registry
  readonly #clock: SimClock
  readonly #manners: Manners
  readonly #events: SocketEvents
  readonly #log: (text: string) => void
  readonly #peer: Peer
  #dead = false
  #silent = false
  /** Messages that arrived while the peer is paused. */
  #unread: (string | Uint8Array)[] | undefined

  constructor(
    registry: Registry,
    clock: SimClock,
    request: DialRequest,
    manners: Manners,
    events: SocketEvents,
    log: (text: string) => void,
  ) {
    this.name = request.name
    this.#registry = registry
    this.#clock = clock
    this.#manners = manners
    this.#events = events
    const { name } = request
    const logOwn = (what: string): void => log(`socket ${name} ${what}`)
    this.#log = logOwn
    this.#peer = Object.assign(new PeerState(this), {
      request,
      send: (data) => {
        if (!this.#silent) this.#later(() => this.#arriveAtClient(data))
      },
      ping: () => this.#later(() => this.#events.alive?.()),
      close: (code = 1000, reason = '') => this.#later(() => this.#end({ how: 'closed', code, reason })),
      drop: () => this.#end({ how: 'dropped', code: 1006 }),
      pause: () => (this.#unread ??= []),
      resume: () => this.#resumeReading(),
      after: (ms, callback) => {
        clock.happen(ms, `${this.name}: server`, () => {
          if (this.state !== 'ended') callback()
        })
      },
    } satisfies Omit<Peer, 'open'>)
    registry.add(this)
    this.#log('dials')
    this.#connect()
  }

  send(data: string | Uint8Array): void {
    if (this.state !== 'open') return
    this.#later(() => this.#arriveAtServer(data))
  }

  ping(): void {
    if (this.state !== 'open' || this.#manners.pongs === false) return
    this.#later(() => {
      // A paused peer does not read the ping.
      if (!this.#unread) this.#later(() => this.#events.alive?.())
    })
  }

  close(code = 1000, reason = ''): void {
    if (this.state === 'connecting') return this.abort()
    if (this.state !== 'open') return
    this.state = 'closing'
    this.#log('sends its close frame')
    const { closeReply = 1 } = this.#manners
    if (closeReply === 'never') return
    this.#clock.happen(closeReply, `${this.name}: close answered`, () => {
      if (this.#dead) return
      this.#manners.closed?.(this.#peer)
      this.#end({ how: 'closed', code, reason })
    })
  }

  abort(): void {
    if (this.state === 'ended') return
    // The socket is cut immediately, but its event follows later, as with a real socket.
    const opened = this.state !== 'connecting'
    this.state = 'ended'
    this.#registry.remove(this)
    this.#log('is cut')
    this.#clock.happen(0, `${this.name}: cut`, () => {
      if (opened) this.#manners.ended?.(this.#peer)
      this.#events.ended({ how: 'aborted' })
    })
  }

  #connect(): void {
    const { connect = 1, refuse, dropAfter, halfOpenAfter, silentAfter } = this.#manners
    if (connect === 'never') return
    this.#clock.happen(connect, `${this.name}: connects`, () => {
      if (this.state !== 'connecting') return
      if (refuse !== undefined) return this.#end({ how: 'refused', ...(refuse ? { status: refuse } : {}) })
      this.state = 'open'
      this.#log('is open')
      if (dropAfter !== undefined) {
        this.#clock.happen(dropAfter, `${this.name}: drops`, () => this.#peer.drop())
      }
      if (halfOpenAfter !== undefined) {
        this.#clock.happen(halfOpenAfter, `${this.name}: goes dead`, () => (this.#dead = true))
      }
      if (silentAfter !== undefined) {
        this.#clock.happen(silentAfter, `${this.name}: falls silent`, () => (this.#silent = true))
      }
      this.#manners.opened?.(this.#peer)
      this.#events.opened()
    })
  }

  #later(what: () => void): void {
    this.#clock.happen(this.#manners.latency ?? 1, `${this.name}: on the wire`, () => {
      if (!this.#dead) what()
    })
  }

  #arriveAtServer(data: string | Uint8Array): void {
    if (!this.#unread) return this.#manners.message?.(this.#peer, data)
    this.#unread.push(data)
    this.buffered += data.length
  }

  #resumeReading(): void {
    const unread = this.#unread ?? []
    this.#unread = undefined
    this.buffered = 0
    for (const data of unread) this.#arriveAtServer(data)
  }

  #arriveAtClient(data: string | Uint8Array): void {
    // As with real sockets, messages still arrive after the close frame was sent.
    if (this.state === 'open' || this.state === 'closing') this.#events.message(data)
  }

  #end(end: SocketEnd): void {
    if (this.state === 'ended') return
    const opened = this.state !== 'connecting'
    this.state = 'ended'
    this.#registry.remove(this)
    this.#log(`ends: ${end.how}`)
    if (opened) this.#manners.ended?.(this.#peer)
    this.#events.ended(end)
  }
}

function withLowerCaseHeaders(request: DialRequest): DialRequest {
  const { headers } = request
  if (!headers) return request
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return { ...request, headers: Object.fromEntries(lower) }
}
