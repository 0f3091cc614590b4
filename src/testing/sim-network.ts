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

/** How the other side of a connection behaves. Unset means politely and quickly. All times are milliseconds. */
export interface Manners {
  /** Until the connection stands: 1 unless set. `never` is a silent upgrade. */
  connect?: number | 'never'
  /** The connection is refused instead, with this HTTP status, or by the network if 0. */
  refuse?: number
  /** The line goes dead after so long: nothing arrives any more, in either direction, and nobody is told. */
  halfOpenAfter?: number
  /** The connection breaks after so long. */
  dropAfter?: number
  /** Until our close frame is answered: 1 unless set. `never` ignores it. */
  closeReply?: number | 'never'
  /** How long a message is under way: 1 unless set. */
  latency?: number
  opened?: (peer: Peer) => void
  message?: (peer: Peer, data: string | Uint8Array) => void
  /** Our close frame has come, and is answered now. */
  closed?: (peer: Peer) => void
  /** The connection is over, whoever ended it. Comes once, last, and only after `opened`. */
  ended?: (peer: Peer) => void
}

/** The far end of a socket. What it is asked to do after the end does nothing. */
export interface Peer {
  /** What was dialled. Names of headers are in lower case, as servers see them. */
  readonly request: DialRequest
  /** The connection has not ended. */
  readonly open: boolean
  send(data: string | Uint8Array): void
  close(code?: number, reason?: string): void
  drop(): void
  /** Reads nothing from now on: what is sent to it piles up at the sender. */
  pause(): void
  resume(): void
  /** Calls back once, unless the connection ends before. */
  after(ms: number, callback: () => void): void
}

/** A network in virtual time. `serve` decides how each connection will be treated. */
export class SimNetwork implements Network {
  readonly sockets = new Registry()
  /** Every dial there ever was, also refused ones. */
  dials = 0
  /** How the next connections are treated; politely unless set. */
  serve: (request: DialRequest, random: SimRandom) => Manners = () => ({})
  readonly #clock: SimClock
  readonly #random: SimRandom
  readonly #tell: (text: string) => void

  constructor(clock: SimClock, random: SimRandom, tell: (text: string) => void = () => {}) {
    this.#clock = clock
    this.#random = random
    this.#tell = tell
  }

  dial(request: DialRequest, events: SocketEvents): Socket {
    this.dials++
    const seen = asServersSee(request)
    const manners = this.serve(seen, this.#random)
    return new SimSocket(this.sockets, this.#clock, seen, manners, events, this.#tell)
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
  readonly #tell: (text: string) => void
  readonly #peer: Peer
  #dead = false
  /** What has come while the peer does not read. */
  #unread: (string | Uint8Array)[] | undefined

  constructor(
    registry: Registry,
    clock: SimClock,
    request: DialRequest,
    manners: Manners,
    events: SocketEvents,
    tell: (text: string) => void,
  ) {
    this.name = request.name
    this.#registry = registry
    this.#clock = clock
    this.#manners = manners
    this.#events = events
    this.#tell = (what) => tell(`socket ${this.name} ${what}`)
    const isOpen = (): boolean => this.state !== 'ended'
    this.#peer = {
      request,
      get open() {
        return isOpen()
      },
      send: (data) => this.#later(() => this.#arrives(data)),
      close: (code = 1000, reason = '') => this.#later(() => this.#end({ how: 'closed', code, reason })),
      drop: () => this.#end({ how: 'dropped', code: 1006 }),
      pause: () => (this.#unread ??= []),
      resume: () => this.#readOn(),
      after: (ms, callback) => {
        clock.happen(ms, `${this.name}: server`, () => {
          if (this.state !== 'ended') callback()
        })
      },
    }
    registry.add(this)
    this.#tell('dials')
    this.#connect()
  }

  send(data: string | Uint8Array): void {
    if (this.state !== 'open') return
    this.#later(() => this.#comes(data))
  }

  close(code = 1000, reason = ''): void {
    if (this.state === 'connecting') return this.abort()
    if (this.state !== 'open') return
    this.state = 'closing'
    this.#tell('sends its close frame')
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
    // The cut is immediate; the news of it comes later, as from a real socket.
    const opened = this.state !== 'connecting'
    this.state = 'ended'
    this.#registry.remove(this)
    this.#tell('is cut')
    this.#clock.happen(0, `${this.name}: cut`, () => {
      if (opened) this.#manners.ended?.(this.#peer)
      this.#events.ended({ how: 'aborted' })
    })
  }

  #connect(): void {
    const { connect = 1, refuse, dropAfter, halfOpenAfter } = this.#manners
    if (connect === 'never') return
    this.#clock.happen(connect, `${this.name}: connects`, () => {
      if (this.state !== 'connecting') return
      if (refuse !== undefined) return this.#end({ how: 'refused', ...(refuse ? { status: refuse } : {}) })
      this.state = 'open'
      this.#tell('is open')
      if (dropAfter !== undefined) {
        this.#clock.happen(dropAfter, `${this.name}: drops`, () => this.#peer.drop())
      }
      if (halfOpenAfter !== undefined) {
        this.#clock.happen(halfOpenAfter, `${this.name}: goes dead`, () => (this.#dead = true))
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

  #comes(data: string | Uint8Array): void {
    if (!this.#unread) return this.#manners.message?.(this.#peer, data)
    this.#unread.push(data)
    this.buffered += data.length
  }

  #readOn(): void {
    const unread = this.#unread ?? []
    this.#unread = undefined
    this.buffered = 0
    for (const data of unread) this.#comes(data)
  }

  #arrives(data: string | Uint8Array): void {
    // Messages still arrive while the close frame is under way, as they do with real sockets.
    if (this.state === 'open' || this.state === 'closing') this.#events.message(data)
  }

  #end(end: SocketEnd): void {
    if (this.state === 'ended') return
    const opened = this.state !== 'connecting'
    this.state = 'ended'
    this.#registry.remove(this)
    this.#tell(`ends: ${end.how}`)
    if (opened) this.#manners.ended?.(this.#peer)
    this.#events.ended(end)
  }
}

function asServersSee(request: DialRequest): DialRequest {
  const { headers } = request
  if (!headers) return request
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return { ...request, headers: Object.fromEntries(lower) }
}
