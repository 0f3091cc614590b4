import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer, type RawData } from 'ws'
import { wsNetwork } from '../link/index.ts'
import type { Logger } from '../parts/index.ts'
import { noop, origin, type Live } from '../scope/index.ts'
import { limits } from './limits.ts'
import { deafOwner, type Peer, type PeerOwner } from './peer.ts'

export interface SocketServerOptions {
  /** The name of the sockets in leak checks. */
  readonly name: string
  /** Bytes per message: a longer one cuts its socket. */
  readonly message: number
  /** How long lines wait for the answer to a close frame. The sockets themselves wait twice as long. */
  readonly closePatience: number
  /** The subprotocol to choose, if the client offers any. */
  readonly protocol?: string
  readonly logger: Logger
}

/** Accepts WebSockets on a server of `node:http`. */
export class SocketServer {
  readonly #options: SocketServerOptions
  readonly #server: WebSocketServer

  constructor(options: SocketServerOptions) {
    const { message, closePatience, protocol } = options
    this.#options = options
    // A variable, since the types of ws do not know closeTimeout yet.
    const settings = {
      noServer: true,
      clientTracking: false,
      // Sound does not compress.
      perMessageDeflate: false,
      maxPayload: message,
      // Pings are answered within the budget of messages: see AcceptedSocket.
      autoPong: false,
      closeTimeout: 2 * closePatience,
      ...(protocol === undefined ? {} : { handleProtocols: () => protocol }),
    }
    this.#server = new WebSocketServer(settings)
  }

  /** Answers an upgrade. Calls `accept` synchronously, unless the request is malformed: that is refused here. */
  upgrade(request: IncomingMessage, tcp: Duplex, head: Buffer, accept: (peer: Peer) => void): void {
    const { name, logger } = this.#options
    this.#server.handleUpgrade(request, tcp, head, (ws) => {
      const socket = new AcceptedSocket(name, ws, tcp, logger)
      socket.guard(() => accept(socket))
    })
  }
}

/** Bytes of `#out`: half a second of sound at 16 kHz, which is more than is sent at once. */
const OUT = 16 * 1024

/**
 * A WebSocket that a caller has opened. It is registered with the sockets of the network, so that leak checks find it.
 *
 * Nothing that arrives on it, and nothing that its owner throws, reaches beyond this socket (LN6). Control frames are
 * reported to the owner, which counts them like messages, and pings go unanswered while the caller does not read:
 * otherwise a flood of either would fill the memory (LN7).
 */
class AcceptedSocket implements Peer, Live {
  owner: PeerOwner = deafOwner(noop)
  readonly kind = 'socket'
  readonly name: string
  readonly origin = origin()
  readonly #ws: WebSocket
  readonly #tcp: Duplex
  readonly #uncork: () => void
  readonly #logger: Logger
  #aborted = false
  /** Memory for what is being sent, and how much of it is in use. Made for a peer that gets sound. */
  #out: Buffer | undefined
  #used = 0

  constructor(name: string, ws: WebSocket, tcp: Duplex, logger: Logger) {
    this.name = name
    this.#ws = ws
    this.#tcp = tcp
    this.#uncork = tcp.uncork.bind(tcp)
    this.#logger = logger
    wsNetwork.sockets.add(this)
    ws.on('message', this.#message.bind(this))
    ws.on('ping', (data) => {
      this.#controlFrame()
      if (ws.readyState === WebSocket.OPEN && this.buffered <= limits.congested) ws.pong(data)
    })
    ws.on('pong', () => this.#controlFrame())
    // Stays for good, since errors can follow the end. The `close` event says how the socket ended.
    ws.on('error', noop)
    ws.on('close', (code, reason) => {
      wsNetwork.sockets.remove(this)
      this.guard(() =>
        this.owner.left(
          this.#aborted
            ? { how: 'aborted' }
            : { how: code === 1006 ? 'dropped' : 'closed', code, reason: reason.toString() },
        ),
      )
    })
  }

  get buffered(): number {
    return this.#ws.bufferedAmount
  }

  send(data: string | Uint8Array): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return
    if (this.buffered > limits.unread) return this.abort()
    // Everything sent in this tick leaves in one system call: sound comes many frames at a time.
    if (this.#tcp.writableCorked === 0) {
      this.#tcp.cork()
      process.nextTick(this.#uncork)
    }
    this.#ws.send(typeof data === 'string' ? data : this.#copyOf(data))
  }

  /** A copy in memory that is used again as soon as everything in it was written (LN18). */
  #copyOf(data: Uint8Array): Uint8Array {
    if (this.buffered === 0) this.#used = 0
    const end = this.#used + data.length
    if (end > OUT) return data.slice()
    this.#out ??= Buffer.allocUnsafeSlow(OUT)
    const copy = this.#out.subarray(this.#used, end)
    copy.set(data)
    this.#used = end
    return copy
  }

  ping(): void {
    if (this.#ws.readyState === WebSocket.OPEN && this.buffered <= limits.congested) this.#ws.ping()
  }

  close(code: number, reason: string): void {
    if (this.#ws.readyState === WebSocket.OPEN) this.#ws.close(code, reason)
  }

  abort(): void {
    if (this.#aborted || this.#ws.readyState === WebSocket.CLOSED) return
    this.#aborted = true
    wsNetwork.sockets.remove(this)
    this.#ws.terminate()
  }

  /** Runs code of the owner. What it throws cuts this socket and nothing else. */
  guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#fail(error)
    }
  }

  #message(data: RawData, isBinary: boolean): void {
    // Messages that arrived together with the one that made us abort.
    if (this.#aborted) return
    try {
      this.owner.message(isBinary ? (data as Buffer) : (data as Buffer).toString())
    } catch (error) {
      this.#fail(error)
    }
  }

  #controlFrame(): void {
    if (!this.#aborted) this.guard(() => this.owner.controlFrame())
  }

  #fail(error: unknown): void {
    const { owner } = this
    this.#logger.error({ error }, 'a socket was cut: handling what it sent failed')
    this.abort()
    try {
      owner.failed(error)
    } catch (again) {
      this.#logger.error({ error: again }, 'a failed call could not be ended')
    }
  }
}
