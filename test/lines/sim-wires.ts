import { deafOwner, type Peer as LinePeer } from '../../src/lines/peer.ts'
import type { PlatformSocket, Platform } from '../../src/lines/websocket/client/wire.ts'
import type { Clock, Network, Random, Socket } from '../../src/scope/index.ts'
import type { Manners, Peer, SimNetwork } from '../../src/testing/index.ts'
import { outsideTimer } from '../../src/testing/outside-timer.ts'

/** What a server does with an upgrade: accepts it, or refuses it with a close code that a page can see. */
export type Dial = (
  url: string,
  protocols: readonly string[],
) =>
  | { readonly accept: (peer: LinePeer) => void }
  | { readonly accept?: undefined; readonly code: number; readonly reason: string }

/** What a caller hears from its socket. A page is spoken to first, and needs not know when it is open. */
export type WireEvents = Parameters<Platform['connect']>[2] & { opened?(): void }

interface OpenWire {
  peer: Peer | undefined
  socket: Socket | undefined
  deafen(): void
  vanish(): void
}

/** The network between simulated callers and the calls. Each dial becomes an upgrade, and connections can be disturbed. */
export class SimWires implements Platform {
  /** How connections behave from now on. */
  manners: Manners = {}
  /** Whether dials fail. */
  broken = false
  dials = 0
  #vanished = false
  readonly #network: SimNetwork
  readonly #clock: Clock
  readonly #random: Random
  readonly #dial: Dial
  readonly #open = new Set<OpenWire>()
  /** Bytes that pages have received. */
  received = 0

  constructor(
    world: { readonly network: Network | undefined; readonly clock: Clock; readonly random: Random },
    dial: Dial,
  ) {
    this.#network = world.network as SimNetwork
    this.#clock = world.clock
    this.#random = world.random
    this.#dial = dial
  }

  after(ms: number, callback: () => void): () => void {
    const timer = outsideTimer(this.#clock, ms, 'the page waits', callback)
    return () => timer.clear()
  }

  random(): number {
    return this.#random.next()
  }

  connect(url: string, protocols: string[], events: WireEvents): PlatformSocket {
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
        events.opened?.()
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
        manners.pongs = false
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

  /** Breaks all connections. */
  cut(): void {
    for (const { peer } of this.#open) peer?.drop()
  }

  /** Swallows everything that pages send; they still receive. */
  deafen(): void {
    for (const wire of this.#open) wire.deafen()
  }

  /** Pages stop reading. */
  pause(): void {
    for (const { peer } of this.#open) peer?.pause()
  }

  resume(): void {
    for (const { peer } of this.#open) peer?.resume()
  }

  /** How many connections callers have. */
  get connections(): number {
    return this.#open.size
  }

  /** Bytes that sockets buffer. */
  get held(): number {
    return [...this.#open].reduce((sum, { socket }) => sum + (socket?.buffered ?? 0), 0)
  }

  /** All pages go silent without closing anything. `forGood`: new dials get no answer either. */
  vanish({ forGood = true } = {}): void {
    this.#vanished = forGood
    for (const wire of this.#open) wire.vanish()
  }

  /** The server's end of an upgrade. */
  #upgrade(url: string, protocols: string[], code: { of: number; reason: string }, end: () => void): Socket {
    let accepted: LinePeer | undefined
    const socket = this.#network.dial(
      { name: 'page', url, protocols },
      {
        opened: () => {
          const answer = this.#dial(url, protocols)
          if (answer.accept) return answer.accept((accepted = peerOn(socket, code)))
          code.of = answer.code
          code.reason = answer.reason
          return socket.abort()
        },
        message: (data) => accepted?.owner.message(data),
        alive: () => accepted?.owner.controlFrame(),
        ended: (ended) => {
          end()
          accepted?.owner.left(ended)
        },
      },
    )
    return socket
  }
}

/** The line's end of a simulated socket. Remembers the code of the line's close frame, for the page to see. */
function peerOn(socket: Socket, code: { of: number; reason: string }): LinePeer {
  return {
    owner: deafOwner(() => {}),
    get buffered() {
      return socket.buffered
    },
    send: (data) => socket.send(data),
    ping: () => socket.ping(),
    close: (of, reason) => {
      Object.assign(code, { of, reason })
      socket.close(of, reason)
    },
    abort: () => socket.abort(),
  }
}
