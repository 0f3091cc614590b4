import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket as TcpSocket } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'
import { EndwellError, noop, systemClock, type DialRequest, type Timer } from '../../scope/index.ts'
import type { Manners, Peer } from '../sim-network.ts'

export interface LoopbackOptions {
  /** Decides how each connection is treated. The same function can serve a `SimNetwork`. Default: well-behaved. */
  serve?: (request: DialRequest) => Manners
  /** Handles plain HTTP requests. Default: responds with 426. */
  http?: (request: IncomingMessage, response: ServerResponse) => void
}

/**
 * A real server on 127.0.0.1 that treats each connection by `Manners`, as the simulated network does. A vendor's protocol
 * is thus written once and runs both in virtual time and over real sockets.
 *
 * ```ts
 * await using server = await LoopbackServer.listen({ serve: () => ({ closeReply: 'never' }) })
 * const link = await Link.open(context, { …, request: () => ({ url: server.url }) })
 * await server.until(() => server.open === 0)
 * ```
 *
 * On real sockets, `latency` is added to the network's own, and both `refuse: 0` and a drop are TCP resets. A paused peer
 * does not notice that the other side has closed until it reads again.
 */
export class LoopbackServer {
  /** Decides how the next connections are treated. */
  serve: (request: DialRequest) => Manners
  /** The number of all connections so far, including refused ones and HTTP requests. */
  total = 0
  readonly #http = createServer()
  readonly #upgrades = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    autoPong: false,
    WebSocket: ServerSocket,
  })
  readonly #connections = new Set<Connection>()
  readonly #waiting = new Set<() => void>()
  #url = ''
  #closed: Promise<void> | undefined

  private constructor({ serve = () => ({}), http = upgradeRequired }: LoopbackOptions) {
    this.serve = serve
    this.#http.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#add(new HttpConnection(request.socket, response))
      http(request, response)
    })
    this.#http.on('upgrade', (request: IncomingMessage, tcp: TcpSocket, head: Buffer) => {
      const dialRequest = dialRequestOf(this.#url, request)
      const socket = new WsConnection(tcp, dialRequest, this.serve(dialRequest), () => this.#changed())
      this.#add(socket)
      socket.answer((then) => this.#upgrades.handleUpgrade(request, tcp, head, (ws) => then(ws)))
    })
  }

  /** Listens on a free port. */
  static async listen(options: LoopbackOptions = {}): Promise<LoopbackServer> {
    const server = new LoopbackServer(options)
    const http = server.#http
    await new Promise<void>((resolve, reject) => {
      http.once('error', reject)
      http.listen(0, '127.0.0.1', resolve)
    })
    server.#url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}`
    return server
  }

  /** `ws://127.0.0.1:port`, without a path. */
  get url(): string {
    return this.#url
  }

  /** The number of open connections: WebSockets, unanswered upgrades and unfinished HTTP requests. */
  get open(): number {
    return this.#connections.size
  }

  /**
   * Resolves when the condition is true. It is checked when a connection starts or ends, and after each message. Rejects
   * when the server closes.
   */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const isMet = condition()
        if (!isMet && !this.#closed) return
        this.#waiting.delete(check)
        if (isMet) resolve()
        else
          reject(
            new EndwellError('SERVER_CLOSED', 'the loopback server closed before the condition became true'),
          )
      }
      this.#waiting.add(check)
      check()
    })
  }

  /** Resolves when no connection is open. */
  whenIdle(): Promise<void> {
    return this.until(() => this.open === 0)
  }

  /** Stops listening and destroys all connections. */
  abort(): void {
    this.close().catch(noop)
  }

  /** Stops listening and destroys all connections. Resolves when all have ended. */
  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.#http.close(() => resolve())
      this.#http.closeAllConnections()
      for (const connection of this.#connections) connection.cut()
    })
    this.#changed()
    return this.#closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #add(connection: Connection): void {
    this.total++
    this.#connections.add(connection)
    connection.whenEnded(() => {
      this.#connections.delete(connection)
      this.#changed()
    })
    this.#changed()
  }

  #changed(): void {
    for (const check of this.#waiting) check()
  }
}

interface Connection {
  whenEnded(callback: () => void): void
  cut(): void
}

/** A plain HTTP request. It ends with its response; the client's pool may keep the TCP connection. */
class HttpConnection implements Connection {
  readonly #tcp: TcpSocket
  readonly #response: ServerResponse

  constructor(tcp: TcpSocket, response: ServerResponse) {
    this.#tcp = tcp
    this.#response = response
    response.on('error', noop)
  }

  whenEnded(callback: () => void): void {
    this.#response.once('close', callback)
  }

  cut(): void {
    this.#tcp.destroy()
  }
}

/** A `ws` socket that does not answer a close frame on its own. */
class ServerSocket extends WebSocket {
  onCloseFrame: ((code?: number, reason?: string | Buffer) => void) | undefined

  /** `ws` calls this when it has received a close frame or an invalid frame. */
  override close(code?: number, reason?: string | Buffer): void {
    if (this.onCloseFrame) this.onCloseFrame(code, reason)
    else super.close(code, reason)
  }

  sendClose(code?: number, reason?: string | Buffer): void {
    try {
      super.close(code, reason)
    } catch {
      // A code that cannot be sent, such as 1006, stands for a broken connection.
      this.terminate()
    }
  }
}

class TcpState {
  readonly #tcp: TcpSocket

  constructor(tcp: TcpSocket) {
    this.#tcp = tcp
  }

  get open(): boolean {
    return !this.#tcp.destroyed
  }
}

class WsConnection implements Connection {
  readonly #tcp: TcpSocket
  readonly #manners: Manners
  readonly #peer: Peer
  readonly #changed: () => void
  readonly #timers = new Set<Timer>()
  #ws: ServerSocket | undefined
  #dead = false
  #silent = false

  constructor(tcp: TcpSocket, request: DialRequest, manners: Manners, changed: () => void) {
    this.#tcp = tcp
    this.#manners = manners
    this.#changed = changed
    // Resets are part of the simulated behaviour.
    tcp.on('error', noop)
    tcp.once('close', () => this.#ended())
    this.#peer = Object.assign(new TcpState(tcp), {
      request,
      send: (data) => {
        if (!this.#silent) this.#wire(() => this.#ws?.send(data))
      },
      ping: (data) => this.#wire(() => this.#ws?.ping(data)),
      close: (code = 1000, reason = '') => this.#wire(() => this.#ws?.sendClose(code, reason)),
      drop: () => tcp.resetAndDestroy(),
      pause: () => this.#ws?.pause(),
      resume: () => this.#ws?.resume(),
      after: (ms, callback) => this.#after(ms, callback),
    } satisfies Omit<Peer, keyof TcpState>)
  }

  whenEnded(callback: () => void): void {
    this.#tcp.once('close', callback)
  }

  cut(): void {
    this.#tcp.destroy()
  }

  /** Accepts or refuses the upgrade as the manners say. */
  answer(upgrade: (then: (ws: ServerSocket) => void) => void): void {
    const { connect = 0, refuse } = this.#manners
    // Without reading, the end of a connection with an unanswered upgrade would go unnoticed.
    this.#tcp.resume()
    this.#tcp.once('end', () => {
      if (!this.#ws) this.cut()
    })
    if (connect === 'never') return
    if (refuse === undefined) this.#after(connect, () => upgrade((ws) => this.#open(ws)))
    else this.#after(connect, () => this.#refuse(refuse))
  }

  #refuse(status: number): void {
    if (status === 0) this.#tcp.resetAndDestroy()
    else this.#tcp.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  }

  #open(ws: ServerSocket): void {
    const { dropAfter, halfOpenAfter, silentAfter, pongs = true, message, opened } = this.#manners
    this.#ws = ws
    ws.onCloseFrame = this.#closeRequested.bind(this)
    ws.on('error', noop)
    ws.on('message', (data: Buffer, isBinary: boolean) => {
      this.#wire(() => message?.(this.#peer, isBinary ? data : data.toString()))
      this.#changed()
    })
    ws.on('ping', (data: Buffer) => {
      if (pongs) this.#wire(() => ws.pong(data))
    })
    if (dropAfter !== undefined) this.#after(dropAfter, () => this.#peer.drop())
    if (halfOpenAfter !== undefined) this.#after(halfOpenAfter, () => this.#goDead())
    if (silentAfter !== undefined) this.#after(silentAfter, () => (this.#silent = true))
    opened?.(this.#peer)
    this.#changed()
  }

  /** Discards all incoming data, but still notices the end of the connection. */
  #goDead(): void {
    this.#dead = true
    this.#tcp.removeAllListeners('data')
    this.#tcp.on('data', noop)
  }

  #closeRequested(code?: number, reason?: string | Buffer): void {
    const { closeReply = 0, closed } = this.#manners
    if (closeReply === 'never') return
    this.#after(closeReply, () => {
      if (this.#dead) return
      closed?.(this.#peer)
      this.#ws?.sendClose(code, reason)
    })
  }

  /** Delays what goes over the wire, in either direction, and drops it once the connection is dead. */
  #wire(action: () => void): void {
    const { latency = 0 } = this.#manners
    this.#after(latency, () => {
      if (!this.#dead) action()
    })
  }

  #after(ms: number, callback: () => void): void {
    if (this.#tcp.destroyed) return
    if (ms <= 0) return callback()
    const timer = systemClock.after(ms, 'loopback server', () => {
      this.#timers.delete(timer)
      callback()
    })
    this.#timers.add(timer)
  }

  #ended(): void {
    for (const timer of this.#timers) timer.clear()
    this.#timers.clear()
    if (this.#ws) this.#manners.ended?.(this.#peer)
  }
}

function dialRequestOf(url: string, { url: path = '/', headers }: IncomingMessage): DialRequest {
  const texts = Object.entries(headers).map(([name, value = '']) => [name, String(value)] as const)
  const protocols = headers['sec-websocket-protocol']?.split(/\s*,\s*/)
  return {
    name: path.replace(/\?.*/, ''),
    url: url + path,
    headers: Object.fromEntries(texts),
    ...(protocols ? { protocols } : {}),
  }
}

function upgradeRequired(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(426).end()
}
