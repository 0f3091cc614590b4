import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WebSocketCalls } from '../../src/lines/websocket/index.ts'
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
    const entry = { kind: 'timer', name, clear: () => {} }
    const timer = systemClock.after(ms / this.#times, name, () => {
      this.timers.remove(entry)
      callback()
    })
    // The stage looks here for what a part has left, and at this clock's own timers only.
    systemClock.timers.remove(timer as never)
    entry.clear = () => {
      this.timers.remove(entry)
      timer.clear()
    }
    this.timers.add(entry)
    return entry
  }
}

/** In real time, five times as fast. */
export const onFastStage: OnStage = async (play) => {
  const stage = new Stage(new FastClock(5), systemRandom)
  try {
    await play(stage)
  } finally {
    await stage.clearUp()
  }
}

/** Pages without a browser that dial a real server over real sockets. */
export class RealWires implements Platform {
  readonly url: string
  readonly #clock: Clock
  readonly #close: () => Promise<void>
  readonly #vanish = new Set<() => void>()
  readonly #sockets = new Map<Socket, Promise<void>>()

  private constructor(clock: Clock, url: string, close: () => Promise<void>) {
    this.#clock = clock
    this.url = url
    this.#close = close
  }

  static async listen(clock: Clock, calls: () => WebSocketCalls): Promise<RealWires> {
    const server = createServer()
    server.on('upgrade', (request, socket, head) => calls().upgrade(request, socket, head))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    return new RealWires(clock, `ws://127.0.0.1:${port}/call`, () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    })
  }

  /** All pages are gone without a word: they hear nothing, say nothing, and answer nothing. */
  vanish(): void {
    for (const vanish of this.#vanish) vanish()
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
    let dead = false
    const headers = { origin: 'http://localhost:3000' }
    let gone = (): void => {}
    const ended = new Promise<void>((resolve) => (gone = resolve))
    const socket = wsNetwork.dial(
      { name: 'page', url, protocols, headers },
      {
        opened() {},
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
    const vanish = (): void => void (dead = true)
    this.#vanish.add(vanish)
    return {
      send: (data) => {
        if (!dead) socket.send(typeof data === 'string' ? data : new Uint8Array(data))
      },
      close: (code, reason) => {
        if (!dead) socket.close(code, reason)
      },
    }
  }
}
