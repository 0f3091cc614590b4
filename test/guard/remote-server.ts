import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { WebSocketServer } from 'ws'
import { Changes } from '../../src/testing/servers/changes.ts'

/**
 * The server that guarded sessions connect to. It counts TCP connections, whatever protocol they speak.
 *
 * It answers `/` at once and `/slow` when `answer()` is called. It accepts WebSockets and answers their close frames
 * unless `ignoresClose` is set.
 */
export class RemoteServer {
  /** Whether close frames of WebSockets opened from now on stay unanswered. */
  ignoresClose = false
  total = 0
  readonly #sockets = new Set<Socket>()
  readonly #slow: ServerResponse[] = []
  readonly #changes = new Changes()
  readonly #http = createServer((request, response) => this.#request(request, response))

  static async listen(): Promise<RemoteServer> {
    const server = new RemoteServer()
    await new Promise<void>((resolve) => server.#http.listen(0, '127.0.0.1', resolve))
    return server
  }

  private constructor() {
    this.#http.on('connection', (socket: Socket) => {
      this.total++
      this.#sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#sockets.delete(socket)
        this.#changes.notify()
      })
      this.#changes.notify()
    })
    // Data that is not HTTP, such as a TLS handshake, is not answered, and the connection stays open.
    this.#http.on('clientError', () => {})
    const server = new WebSocketServer({ server: this.#http })
    server.on('connection', (ws, { socket }) => {
      ws.on('error', () => {})
      if (this.ignoresClose) socket.removeAllListeners('data').resume()
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

  /** The number of open TCP connections. */
  get open(): number {
    return this.#sockets.size
  }

  /** The number of unanswered requests for `/slow`. */
  get slow(): number {
    return this.#slow.length
  }

  answer(): void {
    for (const response of this.#slow.splice(0)) response.end('at last')
  }

  /** Ends every connection gracefully. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.end()
  }

  /** Resolves when the condition is true. It is checked whenever a connection or a request starts or ends. */
  until(condition: () => boolean): Promise<void> {
    return this.#changes.until(condition)
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
    this.#changes.notify()
  }
}
