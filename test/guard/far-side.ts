import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { WebSocketServer } from 'ws'

/**
 * The other side of guarded sessions: it counts TCP connections, whatever is spoken on them.
 *
 * It answers `/` at once and `/slow` when `answer()` is called; it takes WebSockets, and answers their close frames
 * unless it is rude.
 */
export class FarSide {
  /** Close frames of WebSockets that are opened from now on are not answered. */
  rude = false
  total = 0
  readonly #sockets = new Set<Socket>()
  readonly #slow: ServerResponse[] = []
  readonly #waiting = new Set<() => void>()
  readonly #http = createServer((request, response) => this.#request(request, response))

  static async listen(): Promise<FarSide> {
    const side = new FarSide()
    await new Promise<void>((resolve) => side.#http.listen(0, '127.0.0.1', resolve))
    return side
  }

  private constructor() {
    this.#http.on('connection', (socket: Socket) => {
      this.total++
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#sockets.delete(socket)
        this.#changed()
      })
      this.#changed()
    })
    // What is no HTTP, as a handshake of TLS, is not answered, and the connection stays.
    this.#http.on('clientError', () => {})
    const server = new WebSocketServer({ server: this.#http })
    server.on('connection', (ws, { socket }) => {
      ws.on('error', () => {})
      if (this.rude) socket.removeAllListeners('data').resume()
    })
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port
  }

  get ws(): string {
    return `ws://127.0.0.1:${this.port}`
  }

  get http(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** TCP connections now. */
  get open(): number {
    return this.#sockets.size
  }

  /** Requests for `/slow` that wait for their answer. */
  get slow(): number {
    return this.#slow.length
  }

  answer(): void {
    for (const response of this.#slow.splice(0)) response.end('at last')
  }

  /** Ends every connection politely. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.end()
  }

  /** Resolves when `met` holds; it is looked at whenever a connection or a request comes or goes. */
  until(met: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!met()) return
        this.#waiting.delete(look)
        resolve()
      }
      this.#waiting.add(look)
      look()
    })
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#http.close(() => resolve())
    })
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #request(request: IncomingMessage, response: ServerResponse): void {
    if (request.url === '/slow') this.#slow.push(response)
    else response.end('at once')
    this.#changed()
  }

  #changed(): void {
    for (const look of this.#waiting) look()
  }
}
