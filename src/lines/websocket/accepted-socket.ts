import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer, type RawData } from 'ws'
import { wsNetwork } from '../../link/index.ts'
import { nothing, origin, type Live, type Socket, type SocketEvents } from '../../scope/index.ts'
import { limits } from './limits.ts'
import type { Accept } from './page.ts'
import { subprotocol } from './protocol.ts'

/** Compression is off: sound does not shrink. The time to close stands behind the patience of calls and lines. */
const options = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: limits.message,
  closeTimeout: 2 * limits.closePatience,
  handleProtocols: () => subprotocol,
} as const

const server = new WebSocketServer(options)

/** Answers an upgrade. `then` is called at once, unless the request is not a proper one: that is refused here. */
export function acceptUpgrade(
  request: IncomingMessage,
  tcp: Duplex,
  head: Buffer,
  then: (accept: Accept) => void,
): void {
  server.handleUpgrade(request, tcp, head, (ws) => then((events) => new AcceptedSocket(ws, events)))
}

const states = ['connecting', 'open', 'closing', 'ended'] as const

/** A socket that a page has dialled. It stands among the sockets of the network, where tests look for leaks. */
class AcceptedSocket implements Socket, Live {
  readonly kind = 'socket'
  readonly name = 'page'
  readonly origin = origin()
  readonly #ws: WebSocket
  #aborted = false
  #ended = false

  constructor(ws: WebSocket, events: SocketEvents) {
    this.#ws = ws
    wsNetwork.sockets.add(this)
    ws.on('message', (data: RawData, isBinary: boolean) => {
      // What came in one piece with the message that made us cut it.
      if (this.#aborted) return
      events.message(isBinary ? (data as Buffer) : (data as Buffer).toString())
    })
    // It stays for good: an error can still come after the end. How it ends is told by `close`.
    ws.on('error', nothing)
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
    if (this.#ws.readyState === WebSocket.OPEN) this.#ws.send(data)
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
}
