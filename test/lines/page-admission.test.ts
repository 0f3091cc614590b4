import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { WebSocketCalls, type CallInfo, type WebSocketCallsOptions } from '../../src/lines/websocket/index.ts'
import { offer } from '../../src/lines/websocket/protocol.ts'
import { wsNetwork } from '../../src/link/index.ts'
import { Scope, type DialRequest, type SocketEnd, type SocketEvents } from '../../src/scope/index.ts'

const secret = 'a secret of sixteen'
const here = 'http://localhost:3000'

/** A caller who stays connected and says nothing. */
const silentCall = (port: number): DialRequest => ({
  name: 'caller',
  url: `ws://127.0.0.1:${port}/call`,
  headers: { origin: here },
  protocols: offer({}),
})
const quiet: SocketEvents = { opened() {}, message() {}, ended() {} }

interface Dialled {
  /** Empty for a program, which has no origin. */
  readonly origin?: string
  readonly protocols?: readonly string[]
}

/** A real server that takes calls, answers none, and records the calls of `onCall`. */
class TestServer {
  readonly scope = new Scope<string>('server', { phases: ['tasks', 'resources'] })
  readonly calls: WebSocketCalls
  readonly infos: CallInfo[] = []
  readonly #server = createServer()
  readonly #looks = new Set<() => void>()
  #dials = 0

  private constructor(options: Partial<WebSocketCallsOptions>) {
    this.calls = new WebSocketCalls({
      scope: this.scope,
      onCall: (_, info) => {
        this.infos.push(info)
        for (const look of this.#looks) look()
      },
      ...options,
    })
    this.#server.on('upgrade', (...upgrade) => this.calls.upgrade(...upgrade))
  }

  static async listen(options: Partial<WebSocketCallsOptions> = {}): Promise<TestServer> {
    const server = new TestServer(options)
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Dials. Resolves to `open`, `refused STATUS`, or the code and reason of a close frame. */
  dial({ origin = here, protocols = offer({}) }: Dialled): Promise<string> {
    return new Promise((resolve) => {
      const headers: Record<string, string> = origin === '' ? {} : { origin }
      const path = `/call?dial=${this.#dials++}`
      const socket = wsNetwork.dial(
        { name: 'dial', url: `ws://127.0.0.1:${this.port}${path}`, headers, protocols },
        {
          // For a call that was admitted `onCall` has run by now; otherwise a close frame follows.
          opened: () => {
            if (!this.infos.some(({ url }) => url === path)) return
            socket.abort()
            resolve('open')
          },
          message() {},
          ended: (end: SocketEnd) => {
            if (end.how === 'refused') resolve(`refused ${end.status}`)
            if (end.how === 'closed') resolve(`${end.code} ${end.reason}`)
          },
        },
      )
    })
  }

  /** Resolves when `onCall` was called this many times. */
  called(count: number): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.infos.length >= count) resolve()
      }
      this.#looks.add(look)
      look()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scope.close()
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }
}

describe('without a secret', () => {
  it('[LN5] only pages on this machine may call', async () => {
    await using server = await TestServer.listen()
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1', 'https://[::1]:8443'])
      expect(await server.dial({ origin }), origin).toBe('open')
    for (const origin of ['https://example.com', 'http://localhost.example.com', 'null', '', 'file://'])
      expect(await server.dial({ origin }), origin).toBe('refused 403')
    expect(server.infos).toHaveLength(3)
  })

  it('[LN5] other machines may not call, whatever origin they claim', () => {
    const scope = new Scope<string>('server')
    const calls = new WebSocketCalls({ scope, onCall: () => {} })
    const dial = (address: string | undefined): string | undefined =>
      calls.admit({ origin: here, host: 'localhost', address, url: '/', protocols: offer({}) }).refused
    expect(dial('127.0.0.1')).toBeUndefined()
    expect(dial('::ffff:127.0.0.1')).toBeUndefined()
    expect(dial('::1')).toBeUndefined()
    for (const address of ['10.0.0.7', '::ffff:10.0.0.7', '127.0.0.1.example.com', undefined])
      expect(dial(address)).toBe('ORIGIN_REFUSED')
    scope.abort()
  })

  it('tokens cannot be made', async () => {
    await using server = await TestServer.listen()
    expect(() => server.calls.token()).toThrow(/need a secret/)
  })
})

describe('with a secret', () => {
  it('[LN5] a call without a token that was signed with it is refused before there is a session', async () => {
    await using server = await TestServer.listen({ secret })
    const other = await TestServer.listen({ secret: 'another secret, of more' })
    const stranger = other.calls.token()
    await other[Symbol.asyncDispose]()
    expect(await server.dial({})).toBe('4401 TOKEN_MISSING')
    expect(await server.dial({ protocols: offer({ token: 'abc.def' }) })).toBe('4401 TOKEN_INVALID')
    expect(await server.dial({ protocols: offer({ token: stranger }) })).toBe('4401 TOKEN_INVALID')
    const expired = server.calls.token({ expiresIn: -1 })
    expect(await server.dial({ protocols: offer({ token: expired }) })).toBe('4401 TOKEN_EXPIRED')
    expect(await server.dial({ protocols: [...offer({ token: 'x' }), 'x'.repeat(8_000)] })).toMatch(/^4401/)
    expect(server.infos).toEqual([])

    const token = server.calls.token({ data: { name: 'Jo' } })
    expect(await server.dial({ origin: 'https://example.com', protocols: offer({ token }) })).toBe('open')
    expect(server.infos).toMatchObject([
      { data: { name: 'Jo' }, origin: 'https://example.com', address: '127.0.0.1', url: '/call?dial=5' },
    ])
  })

  it('[LN5] pages from other origins are refused before their token is checked', async () => {
    await using server = await TestServer.listen({ secret, origins: ['https://clinic.example'] })
    const protocols = offer({ token: server.calls.token() })
    expect(await server.dial({ origin: 'https://evil.example', protocols })).toBe('refused 403')
    expect(await server.dial({ origin: 'https://clinic.example', protocols })).toBe('open')
    // A program has a token and no origin.
    expect(await server.dial({ origin: '', protocols })).toBe('open')
  })

  it('a short secret is refused', () => {
    const scope = new Scope<string>('server')
    expect(() => new WebSocketCalls({ scope, onCall: () => {}, secret: 'short' })).toThrow(/16 characters/)
    scope.abort()
  })
})

describe('a server', () => {
  it('limits concurrent calls and new calls per second', async () => {
    await using busy = await TestServer.listen({ maxCalls: 2 })
    const dials = [wsNetwork.dial(silentCall(busy.port), quiet), wsNetwork.dial(silentCall(busy.port), quiet)]
    await busy.called(2)
    expect(await busy.dial({})).toBe('4503 BUSY')
    for (const socket of dials) socket.abort()
    await using fast = await TestServer.listen({ maxRate: 2 })
    expect(await Promise.all([fast.dial({}), fast.dial({}), fast.dial({})])).toContain('4429 TOO_FAST')
  })

  it('takes no calls while it closes', async () => {
    await using server = await TestServer.listen()
    const closing = server.scope.close()
    expect(await server.dial({})).toBe('refused 503')
    await closing
  })
})

it('a request that is not a call is refused over HTTP, with a code', async () => {
  await using server = await TestServer.listen()
  expect(await server.dial({ protocols: ['chat'] })).toBe('refused 400')
  const answer = await new Promise<IncomingMessage>((resolve) => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket' }
    request({ port: server.port, host: '127.0.0.1', headers }, resolve).end()
  })
  let body = ''
  for await (const chunk of answer) body += String(chunk)
  expect(answer.statusCode).toBe(400)
  expect(JSON.parse(body)).toMatchObject({ code: 'NOT_A_CALL' })
})
