import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { RtviCalls } from '../../src/lines/rtvi-websocket/index.ts'
import { encodeMessage } from '../../src/lines/rtvi-websocket/frames.ts'
import { limits } from '../../src/lines/rtvi-websocket/limits.ts'
import { limits as shared } from '../../src/lines/limits.ts'
import type { Line, LineConnection, LineEvents } from '../../src/parts/index.ts'
import { Scope, systemClock, systemRandom } from '../../src/scope/index.ts'
import type { Session } from '../../src/session/index.ts'
import { partContext, type TestPartContext } from '../../src/testing/index.ts'
import { Changes } from '../../src/testing/servers/changes.ts'
import { RawCaller } from './raw-caller.ts'
import { startCall } from './rtvi-fixture.ts'
import { TcpProxy } from './tcp-proxy.ts'

const ready = encodeMessage('{"label":"rtvi-ai","type":"client-ready","id":"r","data":{"version":"2.1.0"}}')

/** More than a client may send at once, and in the time that this takes. */
const MANY = 2 * limits.messages.burst

/** A session that has started: a client gets messages only from then on. */
const started = {
  on: (event: string, listener: () => void) => (event === 'started' ? listener() : undefined),
} as unknown as Session

interface Answered {
  readonly emitted: string[]
  readonly context: TestPartContext
  readonly connection: LineConnection
}

/** A real server for clients without manners. */
class Server {
  readonly answered: Answered[] = []
  /** Replaces events of calls that are answered from now on. */
  events: Partial<LineEvents> = {}
  /** Attached to the lines of calls that are answered from now on. */
  session: Session | undefined
  readonly #scope = new Scope<string>('server', { phases: ['tasks', 'resources'] })
  readonly #http = createServer()
  readonly #changes = new Changes()
  readonly #calls: RtviCalls

  private constructor(lostTimeout: number) {
    this.#calls = new RtviCalls({ scope: this.#scope, lostTimeout, onCall: (line) => this.#answer(line) })
    this.#http.on('upgrade', (...upgrade) => this.#calls.upgrade(...upgrade))
  }

  static async listen({ lostTimeout = 60_000 } = {}): Promise<Server> {
    const server = new Server(lostTimeout)
    await new Promise<void>((resolve) => server.#http.listen(0, '127.0.0.1', resolve))
    return server
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port
  }

  /** A client that has called, was answered, and is ready. */
  async dial(port = this.port): Promise<{ client: RawCaller; call: Answered }> {
    const path = await startCall(this.#calls, '')
    const count = this.answered.length
    const client = await RawCaller.dial({ port, path, headers: { origin: 'http://localhost:3000' } })
    await this.#changes.until(() => this.answered.length > count)
    client.sends(ready)
    return { client, call: this.answered.at(-1)! }
  }

  /** Resolves when a call has emitted something that fits. */
  emits({ emitted }: Answered, part = ''): Promise<void> {
    return this.#changes.until(() => emitted.some((each) => each.includes(part)))
  }

  async #answer(line: Line): Promise<void> {
    const context = partContext({ clock: systemClock, random: systemRandom })
    const emitted: string[] = []
    const note = (what: string): void => {
      emitted.push(what)
      this.#changes.notify()
    }
    if (this.session) line.attach?.(this.session)
    const connection = await line.open(context, {
      frame() {},
      marked() {},
      dtmf: (key) => note(`dtmf ${key}`),
      text: (text) => note(`text ${text}`),
      hungUp: () => note('hung up'),
      lost: (error) => note(`lost ${(error as { code?: string } | undefined)?.code ?? String(error)}`),
      handedOver() {},
      ...this.events,
    })
    this.answered.push({ emitted, context, connection })
    this.#changes.notify()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { context } of this.answered) await context.scope.close()
    await this.#scope.close()
    await new Promise<void>((resolve) => {
      this.#http.close(() => resolve())
      this.#http.closeAllConnections()
    })
  }
}

const textOf = (content: string): Uint8Array =>
  encodeMessage(JSON.stringify({ label: 'rtvi-ai', type: 'send-text', data: { content } }))

const keyOf = (key: string): Uint8Array =>
  encodeMessage(JSON.stringify({ label: 'rtvi-ai', type: 'dtmf', data: { buttons: [key] } }))

const flood = (times: number, send: () => void): void => {
  for (let i = 0; i < times; i++) send()
}

describe('an RTVI client on a real socket', () => {
  it.each([
    ['closes without a code', (client: RawCaller) => client.closes(), 'hung up'],
    ['closes with 1001', (client: RawCaller) => client.closes(1001), 'hung up'],
    ['closes with 1011', (client: RawCaller) => client.closes(1011), 'lost undefined'],
    ['is cut', (client: RawCaller) => client.abort(), 'lost undefined'],
  ])('[RV9] that %s ends its call by the right name', async (_, leaves, end) => {
    await using server = await Server.listen()
    const { client, call } = await server.dial()
    leaves(client)
    await server.emits(call)
    expect(call.emitted).toEqual([end])
    client.abort()
  })

  it('[LN2] [RV9] whose network goes silent is lost', async () => {
    await using server = await Server.listen({ lostTimeout: 400 })
    await using proxy = await TcpProxy.listen(server.port)
    const { call, client } = await server.dial(proxy.port)
    proxy.freeze()
    await server.emits(call)
    expect(call.emitted).toEqual(['lost undefined'])
    client.abort()
  })

  it.each([
    ['sends text', (client: RawCaller) => client.says('{"label":"rtvi-ai","type":"client-ready"}')],
    ['sends bytes that are no frame', (client: RawCaller) => client.sends(Uint8Array.of(7, 7, 7))],
    ['floods with messages', (client: RawCaller) => flood(MANY, () => client.sends(ready))],
    ['floods with pings', (client: RawCaller) => client.pings('', MANY)],
    ['floods with pongs', (client: RawCaller) => client.sendsPongs(MANY)],
    ['floods with texts', (client: RawCaller) => flood(100, () => client.sends(textOf('Hello')))],
  ])('[LN6] [LN7] that %s is cut off, and loses its call', async (_, misbehaves) => {
    await using server = await Server.listen()
    const { client, call } = await server.dial()
    misbehaves(client)
    await client.ended
    await server.emits(call, 'lost')
    expect(call.emitted.at(-1)).toBe('lost CLIENT_MISBEHAVED')
    expect(call.emitted.length).toBeLessThan(1.5 * shared.typed.burst)
  })

  it('[LN7] that sends a message that is too long is cut off', async () => {
    await using server = await Server.listen()
    const { client, call } = await server.dial()
    client.sends(encodeMessage(' '.repeat(limits.message)))
    await client.ended
    await server.emits(call, 'lost')
    expect(call.emitted).toEqual(['lost undefined'])
  })

  it('[LN6] whose message makes a listener throw loses its call, and no other', async () => {
    await using server = await Server.listen()
    const good = await server.dial()
    server.events = {
      text: () => {
        throw new RangeError('a listener failed')
      },
    }
    const { client, call } = await server.dial()
    client.sends(textOf('Hello'))
    await client.ended
    await server.emits(call)
    expect(call.emitted).toEqual(['lost RangeError: a listener failed'])
    good.client.sends(textOf('Still here'))
    await server.emits(good.call)
    expect(good.call.emitted).toEqual(['text Still here'])
    good.client.abort()
  })

  it('[LN7] that does not read is cut before its socket holds too much', async () => {
    await using server = await Server.listen()
    server.session = started
    const { client, call } = await server.dial()
    client.sends(keyOf('1'))
    // By then, the server knows that the client is ready.
    await server.emits(call, 'dtmf 1')
    client.stopsReading()
    const { peer } = call.connection as unknown as { peer: { buffered: number } }
    for (let i = 0; i < 1_000; i++) call.connection.sendMessage?.('x'.repeat(5_000))
    expect(peer.buffered).toBeLessThanOrEqual(shared.unread + 10_000)
    client.readsAgain()
    await client.ended
  })
})
