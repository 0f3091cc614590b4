import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Platform, PlatformSocket } from '../../src/lines/websocket/client/wire.ts'
import { wsNetwork } from '../../src/link/index.ts'
import {
  Registry,
  systemClock,
  systemRandom,
  type Clock,
  type Socket,
  type Timer,
} from '../../src/scope/index.ts'
import { Stage, type OnStage } from '../../src/testing/index.ts'

/** The clock of the machine, running so many times as fast: the network is real, and the waits are short. */
export class FastClock implements Clock {
  readonly timers = new Registry()
  readonly #times: number

  constructor(times: number) {
    this.#times = times
  }

  now(): number {
    return systemClock.now() * this.#times
  }

  date(): number {
    return systemClock.date()
  }

  after(ms: number, name: string, callback: () => void): Timer {
    const due = this.now() + ms
    const entry = { kind: 'timer', name, clear: () => {} }
    const arm = (): void => {
      const timer = systemClock.after((due - this.now()) / this.#times, name, () => {
        // Timers of the platform come up to a millisecond early, and that would be five here.
        if (this.now() < due) return arm()
        this.timers.remove(entry)
        return callback()
      })
      // The stage looks here for what a part has left, and at this clock's own timers only.
      systemClock.timers.remove(timer as never)
      entry.clear = () => {
        this.timers.remove(entry)
        timer.clear()
      }
    }
    arm()
    this.timers.add(entry)
    return entry
  }
}

class FastStage extends Stage {
  /** The machine may stand still for a moment, and here that counts five times. */
  protected override readonly slack = 5_000

  /** When it goes on again, timers come before what has arrived meanwhile: that has its turn, too. */
  override async elapse(ms: number): Promise<void> {
    await super.elapse(ms)
    for (let turn = 0; turn < 10; turn++) await super.elapse(20)
  }
}

/** In real time, five times as fast. */
export const onFastStage: OnStage = async (play) => {
  const stage = new FastStage(new FastClock(5), systemRandom)
  try {
    await play(stage)
  } finally {
    await stage.clearUp()
  }
}

type Headers = (url: string) => Readonly<Record<string, string>>

/** What a server does, as far as callers see it. */
export interface RealDoor {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  request?(request: IncomingMessage, response: ServerResponse): boolean
  /** What callers send when they dial: a page has an origin. */
  readonly headers?: Headers
}

/** Callers without a browser or a phone that dial a real server over real sockets. */
export class RealWires implements Platform {
  readonly url: string
  readonly #clock: Clock
  readonly #headers: Headers
  readonly #close: () => Promise<void>
  /** Nothing gets through: dials fail, and what is connected has been cut. */
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

  static async listen(clock: Clock, door: RealDoor): Promise<RealWires> {
    const server = createServer((request, response) => {
      if (!door.request?.(request, response)) response.writeHead(404).end()
    })
    server.on('upgrade', (request, socket, head) => door.upgrade(request, socket, head))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { headers = () => ({ origin: 'http://localhost:3000' }) } = door
    return new RealWires(clock, `ws://127.0.0.1:${port}`, headers, () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    })
  }

  /** All callers are gone without a word, for good: they hear nothing, say nothing, and answer nothing. */
  vanish(): void {
    this.#vanished = true
    for (const vanish of this.#vanish) vanish()
  }

  /** Asks over HTTP, by a form. */
  readonly ask = async (
    path: string,
    form: Readonly<Record<string, string>>,
    more: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; body: string }> => {
    if (this.broken) throw new Error('nothing gets through')
    const body = new URLSearchParams(form)
    const response = await fetch(`${this.url.replace(/^ws/, 'http')}${path}`, {
      method: 'POST',
      body,
      headers: { connection: 'close', ...more },
    })
    return { status: response.status, body: await response.text() }
  }

  /** All connections break. */
  cut(): void {
    for (const socket of this.#sockets.keys()) socket.abort()
  }

  /** Resolves when nothing is left, at either end. */
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

  connect(url: string, protocols: string[], events: Parameters<Platform['connect']>[2]): PlatformSocket {
    if (this.#vanished) return { send() {}, close() {} }
    let dead = false
    // What is said before the connection stands.
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
        const said = typeof data === 'string' ? data : new Uint8Array(data)
        if (early) early.push(said)
        else if (!dead) socket.send(said)
      },
      close: (code, reason) => {
        if (!dead) socket.close(code, reason)
      },
    }
  }
}
