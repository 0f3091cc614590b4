import { RequestError, getRequestListener } from '@hono/node-server'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { noop, checkOptions, type Resource, type Scope, type OptionNames } from '../scope/index.ts'
import { ListenError } from './errors.ts'
import { limits } from './limits.ts'

export interface ListenOptions {
  /** Owns the server. Closing it ends every connection in bounded time. */
  readonly scope: Scope<string>
  /** Answers requests like `fetch`: a hono app, for example. */
  readonly app: { fetch(request: Request, env: object): Response | Promise<Response> }
  /** 0 for any free port. */
  readonly port: number
  /** The address to listen on. Default: 127.0.0.1, which only this machine can reach. */
  readonly host?: string
  /** Handles requests that are not for the app. Returns true if it answers. */
  readonly request?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Handles WebSocket upgrades. Default: they are refused. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

const optionNames: OptionNames<ListenOptions> = {
  scope: true,
  app: true,
  port: true,
  host: true,
  request: true,
  upgrade: true,
}

/** Starts an HTTP server. Rejects with `ListenError` if it cannot listen, for example `PORT_IN_USE`. */
export async function listen(options: ListenOptions): Promise<HttpServer> {
  checkOptions('listen', options, optionNames)
  return options.scope.open('http server', () => HttpServer.listen(options))
}

/** A listening server. It has closed when all its connections have ended. */
export class HttpServer implements Resource {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Connections without a request so far. Browsers open them in advance. */
  readonly #unused = new Set<Duplex>()
  #leaving = false
  #address: AddressInfo | undefined
  #closed: Promise<void> | undefined
  #checkClosed: (() => void) | undefined

  private constructor({ app, request: handle, upgrade }: ListenOptions) {
    // Do not replace globals, and answer errors instead of printing them.
    const listener = getRequestListener((request, env) => app.fetch(request, env), {
      overrideGlobalObjects: false,
      errorHandler: (error) =>
        error instanceof RequestError
          ? new Response('the request is malformed', { status: 400 })
          : new Response('the server failed', { status: 500 }),
    })
    this.#server = createServer(
      { headersTimeout: limits.headers, requestTimeout: limits.request },
      (request, response) => {
        this.#unused.delete(request.socket)
        response.once('close', () => this.#closed && this.#server.closeIdleConnections())
        if (this.#leaving) response.setHeader('connection', 'close')
        if (!handle?.(request, response)) listener(request, response).catch(noop)
      },
    )
    this.#server.maxConnections = limits.connections
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      this.#unused.add(socket)
      socket.once('close', () => {
        this.#sockets.delete(socket)
        this.#unused.delete(socket)
        this.#checkClosed?.()
      })
    })
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#unused.delete(socket)
      socket.on('error', noop)
      if (upgrade && !this.#closed) return upgrade(request, socket, head)
      return refuseUpgrade(socket, 404)
    })
  }

  /** @internal */
  static async listen(options: ListenOptions): Promise<HttpServer> {
    const { port, host = '127.0.0.1' } = options
    const server = new HttpServer(options)
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', (error) => reject(new ListenError(host, port, error)))
      server.#server.listen(port, host, resolve)
    })
    server.#server.on('error', noop)
    server.#address = server.#server.address() as AddressInfo
    return server
  }

  /** Serves a connection that another process has accepted. */
  accept(socket: Socket): void {
    this.#server.emit('connection', socket)
    socket.resume()
  }

  get port(): number {
    return this.#address!.port
  }

  /** The URL for a browser on this machine. */
  get url(): string {
    const { address, family, port } = this.#address!
    const anyAddress = address === '0.0.0.0' || address === '::'
    const name = anyAddress ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
    return `http://${name}:${port}`
  }

  /** The number of open connections, including calls. */
  get connections(): number {
    return this.#sockets.size
  }

  inspect(): object {
    return { connections: this.connections }
  }

  /** Whether the request of a connection may still be on its way. */
  get hasUnused(): boolean {
    return this.#unused.size > 0
  }

  /** From now on, a connection ends with its response, so that whoever comes back can reach another process. */
  leave(): void {
    this.#leaving = true
    this.#server.closeIdleConnections()
  }

  /** Stops listening. Requests in progress may finish. */
  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      let listening = true
      const check = (): void => {
        if (!listening && this.#sockets.size === 0) resolve()
      }
      this.#checkClosed = check
      this.#server.close(() => {
        listening = false
        check()
      })
      this.#server.closeIdleConnections()
      // The server does not count these as idle, and would wait for their first request.
      for (const socket of this.#unused) socket.destroy()
    })
    return this.#closed
  }

  abort(): void {
    this.close().catch(noop)
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** Refuses a WebSocket upgrade with an HTTP status and ends the connection. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
