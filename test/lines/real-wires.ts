import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Platform, PlatformSocket } from '../../src/lines/websocket/client/wire.ts'
import { wsNetwork } from '../../src/link/index.ts'
import { systemRandom, type Clock, type Socket } from '../../src/scope/index.ts'
import { Stage, type OnStage } from '../../src/testing/index.ts'
import { FastClock } from '../fast-clock.ts'
import type { WireEvents } from './sim-wires.ts'

/** Runs checks on real sockets, ten times as fast. */
export const onFastStage: OnStage = async (play) => {
  const stage = new Stage(new FastClock(), systemRandom)
  try {
    await play(stage)
  } finally {
    await stage.clearUp()
  }
}

type Headers = (url: string) => Readonly<Record<string, string>>

/** A server, as callers see it. */
export interface RealServer {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  request?(request: IncomingMessage, response: ServerResponse): boolean
  /** Headers that callers send when they dial. Default: the origin of a page. */
  readonly headers?: Headers
}

/** The network between simulated callers and a real server, over real sockets. */
export class RealWires implements Platform {
  readonly url: string
  readonly #clock: Clock
  readonly #headers: Headers
  readonly #close: () => Promise<void>
  /** Whether dials and requests fail. */
  broken = false
  readonly #vanish = new Set<() => void>()
  readonly #sockets = new Map<Socket, Promise<void>>()
  #vanished = false

  private constructor(clock: Clock, url: string, headers: Headers, close: () => Promise<void>) {
    this.#clock = clock
    this.url = url
    this.#headers = headers
    this.#close = close
  }

  static async listen(clock: Clock, calls: RealServer): Promise<RealWires> {
    const server = createServer((request, response) => {
      if (!calls.request?.(request, response)) response.writeHead(404).end()
    })
    server.on('upgrade', (request, socket, head) => calls.upgrade(request, socket, head))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { headers = () => ({ origin: 'http://localhost:3000' }) } = calls
    return new RealWires(clock, `ws://127.0.0.1:${port}`, headers, () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    })
  }

  /** All callers go silent for good: they neither send nor receive, and close nothing. */
  vanish(): void {
    this.#vanished = true
    for (const vanish of this.#vanish) vanish()
  }

  /** Posts a form over HTTP. */
  readonly post = async (
    path: string,
    form: Readonly<Record<string, string>>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; body: string }> => {
    if (this.broken) throw new Error('the network is broken')
    const body = new URLSearchParams(form)
    const response = await fetch(`${this.url.replace(/^ws/, 'http')}${path}`, {
      method: 'POST',
      body,
      headers: { connection: 'close', ...more },
    })
    return { status: response.status, body: await response.text() }
  }

  /** Breaks all connections. */
  cut(): void {
    for (const socket of this.#sockets.keys()) socket.abort()
  }

  /** Resolves when both ends have closed everything. */
  async close(): Promise<void> {
    for (const socket of this.#sockets.keys()) socket.abort()
    await Promise.all(this.#sockets.values())
    await this.#close()
  }

  after(ms: number, callback: () => void): () => void {
    const timer = this.#clock.after(ms, 'the page waits', callback)
    this.#clock.timers.remove(timer as never)
    return () => timer.clear()
  }

  random(): number {
    return systemRandom.next()
  }

  connect(url: string, protocols: string[], events: WireEvents): PlatformSocket {
    if (this.#vanished) return { send() {}, close() {} }
    let dead = false
    // What is sent before the connection is open.
    let early: (string | Uint8Array)[] | undefined = []
    const headers = this.#headers(url)
    let gone = (): void => {}
    const ended = new Promise<void>((resolve) => (gone = resolve))
    const socket = wsNetwork.dial(
      { name: 'page', url, protocols, headers },
      {
        opened: () => {
          for (const data of early ?? []) socket.send(data)
          early = undefined
          events.opened?.()
        },
        message: (data) => {
          if (!dead) events.message(typeof data === 'string' ? data : new Uint8Array(data).buffer)
        },
        ended: ({ code = 1006, reason = '' }) => {
          this.#vanish.delete(vanish)
          this.#sockets.delete(socket)
          gone()
          if (!dead) events.ended(code, reason)
        },
      },
    )
    this.#sockets.set(socket, ended)
    if (this.broken) socket.abort()
    const vanish = (): void => void (dead = true)
    this.#vanish.add(vanish)
    return {
      send: (data) => {
        const sent = typeof data === 'string' ? data : new Uint8Array(data)
        if (early) early.push(sent)
        else if (!dead) socket.send(sent)
      },
      close: (code, reason) => {
        if (!dead) socket.close(code, reason)
      },
    }
  }
}
