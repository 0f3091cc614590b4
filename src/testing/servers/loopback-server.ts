import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket as TcpSocket } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'
import { EndwellError, noop, systemClock, type DialRequest, type Timer } from '../../scope/index.ts'
import type { Manners, Peer } from '../sim-network.ts'

export interface LoopbackOptions {
  /** How each connection is treated; politely unless set. The same function can serve a `SimNetwork`. */
  serve?: (request: DialRequest) => Manners
  /** Answers what comes as plain HTTP; with 426 unless set. */
  http?: (request: IncomingMessage, response: ServerResponse) => void
}

/**
 * A real server on 127.0.0.1 that treats each connection by `Manners`, as the simulated network does: what a vendor's
 * protocol is like is written once, and spoken in virtual time and over real sockets.
 *
 * ```ts
 * await using server = await LoopbackServer.listen({ serve: () => ({ closeReply: 'never' }) })
 * const link = await Link.open(context, { …, request: () => ({ url: server.url }) })
 * await server.until(() => server.open === 0)
 * ```
 *
 * On real sockets `latency` is added to that of the wire, `refuse: 0` is a reset before any answer, and a drop is a
 * reset, too. A peer that does not read does not notice that the other side has gone, until it reads again.
 */
export class LoopbackServer {
  /** How the next connections are treated. */
  serve: (request: DialRequest) => Manners
  /** Every connection there ever was, refused ones and HTTP requests included. */
  total = 0
  readonly #http = createServer()
  readonly #upgrades = new WebSocketServer({ noServer: true, clientTracking: false, WebSocket: FarSocket })
  readonly #connections = new Set<Connection>()
  readonly #waiting = new Set<() => void>()
  #url = ''
  #closed: Promise<void> | undefined

  private constructor({ serve = () => ({}), http = upgradeRequired }: LoopbackOptions) {
    this.serve = serve
    this.#http.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#begin(new HttpConnection(request.socket, response))
      http(request, response)
    })
    this.#http.on('upgrade', (request: IncomingMessage, tcp: TcpSocket, head: Buffer) => {
      const dialled = asDialled(this.#url, request)
      const socket = new WsConnection(tcp, dialled, this.serve(dialled), () => this.#changed())
      this.#begin(socket)
      socket.answer((then) => this.#upgrades.handleUpgrade(request, tcp, head, (ws) => then(ws)))
    })
  }

  /** Listens on a port that is free. */
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

  /** Connections now: WebSockets that have not ended, silent upgrades, HTTP requests that are not answered. */
  get open(): number {
    return this.#connections.size
  }

  /** Resolves when `met` holds. It is looked at again whenever a connection begins or ends, and after each message. */
  until(met: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const isMet = met()
        if (!isMet && !this.#closed) return
        this.#waiting.delete(look)
        if (isMet) resolve()
        else
          reject(new EndwellError('SERVER_CLOSED', 'the loopback server was closed while it was waited for'))
      }
      this.#waiting.add(look)
      look()
    })
  }

  /** Resolves when no connection is left. */
  whenIdle(): Promise<void> {
    return this.until(() => this.open === 0)
  }

  /** Cuts every connection now and listens no more. */
  abort(): void {
    this.close().catch(noop)
  }

  /** Cuts every connection and listens no more. Resolves when nothing is left. */
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

  #begin(connection: Connection): void {
    this.total++
    this.#connections.add(connection)
    connection.whenEnded(() => {
      this.#connections.delete(connection)
      this.#changed()
    })
    this.#changed()
  }

  #changed(): void {
    for (const look of this.#waiting) look()
  }
}

interface Connection {
  whenEnded(callback: () => void): void
  cut(): void
}

/** A request by plain HTTP. Its TCP connection may be kept by the client's pool: it ends with its answer. */
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

/** A socket of `ws` that answers a close frame when it is told to, and not by itself. */
class FarSocket extends WebSocket {
  asked: ((code?: number, reason?: string | Buffer) => void) | undefined

  /** `ws` calls this when a close frame, or nonsense, has come. */
  override close(code?: number, reason?: string | Buffer): void {
    if (this.asked) this.asked(code, reason)
    else super.close(code, reason)
  }

  sendClose(code?: number, reason?: string | Buffer): void {
    try {
      super.close(code, reason)
    } catch {
      // A code that cannot be sent, as 1006, means a connection that breaks.
      this.terminate()
    }
  }
}

class WsConnection implements Connection {
  readonly #tcp: TcpSocket
  readonly #manners: Manners
  readonly #peer: Peer
  readonly #changed: () => void
  readonly #timers = new Set<Timer>()
  #ws: FarSocket | undefined
  #dead = false

  constructor(tcp: TcpSocket, request: DialRequest, manners: Manners, changed: () => void) {
    this.#tcp = tcp
    this.#manners = manners
    this.#changed = changed
    // Resets are what it is here for.
    tcp.on('error', noop)
    tcp.once('close', () => this.#ended())
    this.#peer = {
      request,
      get open() {
        return !tcp.destroyed
      },
      send: (data) => this.#wire(() => this.#ws?.send(data)),
      close: (code = 1000, reason = '') => this.#wire(() => this.#ws?.sendClose(code, reason)),
      drop: () => tcp.resetAndDestroy(),
      pause: () => this.#ws?.pause(),
      resume: () => this.#ws?.resume(),
      after: (ms, callback) => this.#after(ms, callback),
    }
  }

  whenEnded(callback: () => void): void {
    this.#tcp.once('close', callback)
  }

  cut(): void {
    this.#tcp.destroy()
  }

  /** Answers the upgrade, as its manners say. */
  answer(upgrade: (then: (ws: FarSocket) => void) => void): void {
    const { connect = 0, refuse } = this.#manners
    // Without a reader, the end of a connection that is not answered would go unnoticed.
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

  #open(ws: FarSocket): void {
    const { dropAfter, halfOpenAfter, message, opened } = this.#manners
    this.#ws = ws
    ws.asked = (code, reason) => this.#closeAsked(code, reason)
    ws.on('error', noop)
    ws.on('message', (data: Buffer, isBinary: boolean) => {
      this.#wire(() => message?.(this.#peer, isBinary ? data : data.toString()))
      this.#changed()
    })
    if (dropAfter !== undefined) this.#after(dropAfter, () => this.#peer.drop())
    if (halfOpenAfter !== undefined) this.#after(halfOpenAfter, () => this.#goDead())
    opened?.(this.#peer)
    this.#changed()
  }

  /** What comes is thrown away, unread; so the end of the connection is still seen, and can be counted. */
  #goDead(): void {
    this.#dead = true
    this.#tcp.removeAllListeners('data')
    this.#tcp.on('data', noop)
  }

  #closeAsked(code?: number, reason?: string | Buffer): void {
    const { closeReply = 0, closed } = this.#manners
    if (closeReply === 'never') return
    this.#after(closeReply, () => {
      if (this.#dead) return
      closed?.(this.#peer)
      this.#ws?.sendClose(code, reason)
    })
  }

  /** Something goes over the wire, in either direction. */
  #wire(what: () => void): void {
    const { latency = 0 } = this.#manners
    this.#after(latency, () => {
      if (!this.#dead) what()
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

function asDialled(url: string, { url: path = '/', headers }: IncomingMessage): DialRequest {
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
