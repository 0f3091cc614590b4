import { getRequestListener } from '@hono/node-server'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { noop, type Resource, type Scope } from '../scope/index.ts'
import { ListenError } from './errors.ts'
import { limits } from './limits.ts'

export interface ServeOptions {
  /** Owns the server: closing it ends every connection, in bounded time. */
  readonly scope: Scope<string>
  /** Anything that answers as `fetch` does: a hono app. */
  readonly app: { fetch(request: Request, env: object): Response | Promise<Response> }
  /** 0 for any that is free. */
  readonly port: number
  /** The address to listen on: 127.0.0.1 unless set, where only this machine can reach it. */
  readonly host?: string
  /** Takes over requests that are not for the app: true if it answers. */
  readonly request?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Takes over connections that ask for a WebSocket; without it they are refused. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/** Listens. Rejects with `ListenError` if that cannot be: `PORT_IN_USE`, for instance. */
export function serve(options: ServeOptions): Promise<HttpServer> {
  return options.scope.open('http server', () => HttpServer.listen(options))
}

/** A server that listens. It is over when none of its connections is left. */
export class HttpServer implements Resource {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #address: AddressInfo | undefined
  #closed: Promise<void> | undefined
  /** Looks whether all is over. */
  #looks: (() => void) | undefined

  private constructor({ app, request: takes, upgrade }: ServeOptions) {
    // The globals of the process stay as they are, and what fails is answered: nothing is printed.
    const listener = getRequestListener((request, env) => app.fetch(request, env), {
      overrideGlobalObjects: false,
      errorHandler: () => new Response('the server failed', { status: 500 }),
    })
    this.#server = createServer(
      { headersTimeout: limits.headers, requestTimeout: limits.request },
      (request, response) => {
        response.once('close', () => this.#closed && this.#server.closeIdleConnections())
        if (!takes?.(request, response)) listener(request, response).catch(noop)
      },
    )
    this.#server.maxConnections = limits.connections
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => {
        this.#sockets.delete(socket)
        this.#looks?.()
      })
    })
    this.#server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', noop)
      if (upgrade && !this.#closed) return upgrade(request, socket, head)
      return refuseUpgrade(socket, 404)
    })
  }

  /** @internal */
  static async listen(options: ServeOptions): Promise<HttpServer> {
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

  get port(): number {
    return this.#address!.port
  }

  /** Where a person on this machine finds it. */
  get url(): string {
    const { address, family, port } = this.#address!
    const everywhere = address === '0.0.0.0' || address === '::'
    const name = everywhere ? 'localhost' : family === 'IPv6' ? `[${address}]` : address
    return `http://${name}:${port}`
  }

  /** Connections that are open, calls included. */
  get connections(): number {
    return this.#sockets.size
  }

  inspect(): object {
    return { connections: this.connections }
  }

  /** Listens no more, and lets what is being answered be answered. */
  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      let listens = true
      this.#looks = () => {
        if (!listens && this.#sockets.size === 0) resolve()
      }
      this.#server.close(() => {
        listens = false
        this.#looks?.()
      })
      this.#server.closeIdleConnections()
    })
    return this.#closed
  }

  abort(): void {
    this.close().catch(noop)
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** Answers a request for a WebSocket with a refusal, and ends its connection. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
