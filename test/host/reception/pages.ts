import type { Platform, PlatformSocket } from '../../../src/lines/websocket/client/wire.ts'
import { wsNetwork } from '../../../src/link/index.ts'
import { systemClock, type Socket } from '../../../src/scope/index.ts'
import { TestPage, type PageOptions } from '../../lines/page.ts'
import { RtviTestClient, type ClientOptions } from '../../lines/rtvi-client.ts'
import type { WireEvents } from '../../lines/sim-wires.ts'

/** Pages in Node, each served by the port that it calls. Disposing of them ends them all. */
export class Pages implements AsyncDisposable {
  readonly #sockets = new Map<Socket, Promise<void>>()
  readonly #pages: TestPage[] = []

  /** A page that calls. */
  dial(port: number, options: PageOptions = {}): TestPage {
    const page = new TestPage(systemClock, this.#platform(port), `ws://127.0.0.1:${port}/call`, options)
    this.#pages.push(page)
    page.wire.connect()
    return page
  }

  /** An RTVI client that connects with the token of a call. */
  connect(port: number, token: string, options: ClientOptions = {}): RtviTestClient {
    const url = `ws://127.0.0.1:${port}/rtvi?token=${encodeURIComponent(token)}`
    return new RtviTestClient(systemClock, this.#platform(port), url, options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const page of this.#pages) page.wire.hangUp()
    for (const socket of this.#sockets.keys()) socket.abort()
    await Promise.all(this.#sockets.values())
  }

  #platform(port: number): Platform {
    return {
      connect: (url, protocols, events) => this.#connect(port, { url, protocols }, events),
      after: (ms, callback) => {
        const timer = systemClock.after(ms, 'a timer of the page', callback)
        return () => timer.clear()
      },
      random: () => 0.5,
    }
  }

  #connect(
    port: number,
    { url, protocols }: { readonly url: string; readonly protocols: string[] },
    events: WireEvents,
  ): PlatformSocket {
    const headers = { origin: `http://127.0.0.1:${port}` }
    let gone = (): void => {}
    const ended = new Promise<void>((resolve) => (gone = resolve))
    const socket = wsNetwork.dial(
      { name: 'page', url, headers, protocols },
      {
        opened: () => events.opened?.(),
        message: (data) => events.message(typeof data === 'string' ? data : new Uint8Array(data).buffer),
        ended: ({ code = 1006, reason = '' }) => {
          this.#sockets.delete(socket)
          gone()
          events.ended(code, reason)
        },
      },
    )
    this.#sockets.set(socket, ended)
    return {
      send: (data) => socket.send(typeof data === 'string' ? data : new Uint8Array(data)),
      close: (code, reason) => socket.close(code, reason),
    }
  }
}
