import type { Accept } from '../../src/lines/accepted-socket.ts'
import type { PlatformSocket, Platform } from '../../src/lines/websocket/client/wire.ts'
import type { Clock, Network, Random, Socket, SocketEvents } from '../../src/scope/index.ts'
import type { Manners, Peer, SimNetwork } from '../../src/testing/index.ts'
import { outsideTimer } from '../../src/testing/outside-timer.ts'

/** What a server does with an upgrade: takes it, or refuses it in a way that a page can see. */
export type Knock = (
  url: string,
  protocols: readonly string[],
) =>
  | { readonly admitted: (accept: Accept) => void }
  | { readonly admitted?: undefined; readonly code: number; readonly reason: string }

interface OpenWire {
  peer: Peer | undefined
  socket: Socket | undefined
  deafen(): void
  vanish(): void
}

/** The wires between simulated callers and the calls: each dial becomes an upgrade, and can be tampered with. */
export class SimWires implements Platform {
  /** How connections are treated from here on. */
  manners: Manners = {}
  /** Nothing gets through: dials fail, and what is connected has been cut. */
  broken = false
  dials = 0
  #vanished = false
  readonly #network: SimNetwork
  readonly #clock: Clock
  readonly #random: Random
  readonly #knock: Knock
  readonly #open = new Set<OpenWire>()
  /** Bytes that have come to pages. */
  received = 0

  constructor(
    world: { readonly network: Network | undefined; readonly clock: Clock; readonly random: Random },
    knock: Knock,
  ) {
    this.#network = world.network as SimNetwork
    this.#clock = world.clock
    this.#random = world.random
    this.#knock = knock
  }

  after(ms: number, callback: () => void): () => void {
    const timer = outsideTimer(this.#clock, ms, 'the page waits', callback)
    return () => timer.clear()
  }

  random(): number {
    return this.#random.next()
  }

  connect(url: string, protocols: string[], events: Parameters<Platform['connect']>[2]): PlatformSocket {
    this.dials++
    if (this.#vanished) return { send() {}, close() {} }
    let dead = false
    let over = false
    const code = { of: 1006, reason: '' }
    const end = (): void => {
      if (over) return
      over = true
      this.#open.delete(wire)
      if (!dead) events.ended(code.of, code.reason)
    }
    const manners: Manners = {
      ...this.manners,
      ...(this.broken ? { refuse: 0 } : {}),
      opened: (peer) => {
        wire.peer = peer
      },
      message: (_, data) => {
        this.received += data.length
        if (!dead) events.message(typeof data === 'string' ? data : data.slice().buffer)
      },
      ended: end,
    }
    let deaf = false
    const wire: OpenWire = {
      peer: undefined,
      socket: undefined,
      deafen: () => void (deaf = true),
      vanish: () => {
        dead = true
        manners.closeReply = 'never'
      },
    }
    this.#open.add(wire)
    this.#network.serve = () => manners
    const socket = this.#upgrade(url, protocols, code, end)
    wire.socket = socket
    return {
      send: (data) => {
        if (!dead && !deaf) wire.peer?.send(typeof data === 'string' ? data : new Uint8Array(data))
      },
      close: (closeCode) => {
        if (dead) return
        if (wire.peer) wire.peer.close(closeCode)
        else socket.abort()
      },
    }
  }

  /** All connections break. */
  cut(): void {
    for (const { peer } of this.#open) peer?.drop()
  }

  /** Nothing that pages say arrives any more; what is said to them does. */
  deafen(): void {
    for (const wire of this.#open) wire.deafen()
  }

  /** Pages read nothing from now on. */
  pause(): void {
    for (const { peer } of this.#open) peer?.pause()
  }

  resume(): void {
    for (const { peer } of this.#open) peer?.resume()
  }

  /** Bytes that sockets hold back. */
  get held(): number {
    return [...this.#open].reduce((sum, { socket }) => sum + (socket?.buffered ?? 0), 0)
  }

  /** All pages are gone without a word, and nobody is told. For good, none comes back. */
  vanish({ forGood = true } = {}): void {
    this.#vanished = forGood
    for (const wire of this.#open) wire.vanish()
  }

  /** The server's end: what its HTTP server would do with an upgrade. */
  #upgrade(url: string, protocols: string[], code: { of: number; reason: string }, end: () => void): Socket {
    let events: SocketEvents | undefined
    const socket = this.#network.dial(
      { name: 'page', url, protocols },
      {
        opened: () => {
          const answer = this.#knock(url, protocols)
          if (answer.admitted)
            return answer.admitted((listener) => this.#accepted(socket, code, (events = listener)))
          code.of = answer.code
          code.reason = answer.reason
          return socket.abort()
        },
        message: (data) => events?.message(data),
        ended: (ended) => {
          end()
          events?.ended(ended)
        },
      },
    )
    return socket
  }

  /** Remembers the code of our close frame, which the page is to see. */
  #accepted(socket: Socket, code: { of: number; reason: string }, _events: SocketEvents): Socket {
    return {
      get state() {
        return socket.state
      },
      get buffered() {
        return socket.buffered
      },
      send: (data) => socket.send(data),
      close: (of = 1000, reason = '') => {
        Object.assign(code, { of, reason })
        socket.close(of, reason)
      },
      abort: () => socket.abort(),
    }
  }
}
