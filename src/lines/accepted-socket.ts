import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer, type RawData } from 'ws'
import { wsNetwork } from '../link/index.ts'
import { noop, origin, type Live, type Socket, type SocketEvents } from '../scope/index.ts'

/** Takes a socket that is open: it will tell `events`, and never from inside this call. */
export type Accept = (events: SocketEvents) => Socket

export interface DoorOptions {
  /** What its sockets are called where leaks are looked for. */
  readonly name: string
  /** Bytes of one message: the socket of whoever sends a longer one is cut. */
  readonly message: number
  /** How long lines wait for the answer to a close frame. The sockets themselves have twice as long. */
  readonly closePatience: number
  /** The subprotocol that is chosen, if one was offered. */
  readonly protocol?: string
}

/** Where sockets come in that others have dialled. */
export class SocketDoor {
  readonly #name: string
  readonly #server: WebSocketServer

  constructor({ name, message, closePatience, protocol }: DoorOptions) {
    this.#name = name
    const options = {
      noServer: true,
      clientTracking: false,
      // Sound does not shrink.
      perMessageDeflate: false,
      maxPayload: message,
      closeTimeout: 2 * closePatience,
      ...(protocol === undefined ? {} : { handleProtocols: () => protocol }),
    }
    this.#server = new WebSocketServer(options)
  }

  /** Answers an upgrade. `then` is called at once, unless the request is not a proper one: that is refused here. */
  accept(request: IncomingMessage, tcp: Duplex, head: Buffer, then: (accept: Accept) => void): void {
    this.#server.handleUpgrade(request, tcp, head, (ws) =>
      then((events) => new AcceptedSocket(this.#name, ws, tcp, events)),
    )
  }
}

const states = ['connecting', 'open', 'closing', 'ended'] as const

/** A socket that somebody has dialled. It stands among the sockets of the network, where tests look for leaks. */
class AcceptedSocket implements Socket, Live {
  readonly kind = 'socket'
  readonly name: string
  readonly origin = origin()
  readonly #ws: WebSocket
  readonly #tcp: Duplex
  #gathering = false
  #aborted = false
  #ended = false

  constructor(name: string, ws: WebSocket, tcp: Duplex, events: SocketEvents) {
    this.name = name
    this.#ws = ws
    this.#tcp = tcp
    wsNetwork.sockets.add(this)
    ws.on('message', (data: RawData, isBinary: boolean) => {
      // What came in one piece with the message that made us cut it.
      if (this.#aborted) return
      events.message(isBinary ? (data as Buffer) : (data as Buffer).toString())
    })
    // It stays for good: an error can still come after the end. How it ends is told by `close`.
    ws.on('error', noop)
    ws.on('close', (code, reason) => {
      this.#ended = true
      wsNetwork.sockets.remove(this)
      if (this.#aborted) events.ended({ how: 'aborted' })
      else events.ended({ how: code === 1006 ? 'dropped' : 'closed', code, reason: reason.toString() })
    })
  }

  get state(): Socket['state'] {
    return this.#ended || this.#aborted ? 'ended' : states[this.#ws.readyState]
  }

  get buffered(): number {
    return this.#ws.bufferedAmount
  }

  send(data: string | Uint8Array): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return
    this.#gather()
    this.#ws.send(data)
  }

  close(code?: number, reason?: string): void {
    if (this.state === 'open') this.#ws.close(code, reason)
  }

  abort(): void {
    if (this.state === 'ended') return
    this.#aborted = true
    wsNetwork.sockets.remove(this)
    this.#ws.terminate()
  }

  /** What is sent in one go leaves in one go: sound comes many frames at a time, and each would cost a system call. */
  #gather(): void {
    if (this.#gathering) return
    this.#gathering = true
    this.#tcp.cork()
    process.nextTick(() => {
      this.#gathering = false
      this.#tcp.uncork()
    })
  }
}
