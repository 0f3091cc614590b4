import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { WebSocketCalls, type CallInfo, type WebSocketCallsOptions } from '../../src/lines/websocket/index.ts'
import { offer } from '../../src/lines/websocket/protocol.ts'
import { wsNetwork } from '../../src/link/index.ts'
import { Scope, type DialRequest, type SocketEnd, type SocketEvents } from '../../src/scope/index.ts'

const secret = 'a secret of sixteen'
const here = 'http://localhost:3000'

/** A caller who stays on the line and says nothing. */
const silentCall = (port: number): DialRequest => ({
  name: 'caller',
  url: `ws://127.0.0.1:${port}/call`,
  headers: { origin: here },
  protocols: offer({}),
})
const quiet: SocketEvents = { opened() {}, message() {}, ended() {} }

interface Dialled {
  /** Empty for a program, which has none. */
  readonly origin?: string
  readonly protocols?: readonly string[]
}

/** A real server that takes calls and answers none, and counts what came to `onCall`. */
class Door {
  readonly scope = new Scope<string>('door', { phases: ['tasks', 'resources'] })
  readonly calls: WebSocketCalls
  readonly infos: CallInfo[] = []
  readonly #server = createServer()
  readonly #looks = new Set<() => void>()
  #knocks = 0

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

  static async listen(options: Partial<WebSocketCallsOptions> = {}): Promise<Door> {
    const door = new Door(options)
    await new Promise<void>((resolve) => door.#server.listen(0, '127.0.0.1', resolve))
    return door
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Dials, and tells how it went: `open`, `refused STATUS`, or the code and reason of a close frame. */
  knock({ origin = here, protocols = offer({}) }: Dialled): Promise<string> {
    return new Promise((resolve) => {
      const headers: Record<string, string> = origin === '' ? {} : { origin }
      const path = `/call?knock=${this.#knocks++}`
      const socket = wsNetwork.dial(
        { name: 'knock', url: `ws://127.0.0.1:${this.port}${path}`, headers, protocols },
        {
          // Whoever is let in was told to `onCall` before; for others a close frame follows.
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

  /** Resolves when so many calls have come to `onCall`. */
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
  it('[LN5] only pages of this machine may call', async () => {
    await using door = await Door.listen()
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1', 'https://[::1]:8443'])
      expect(await door.knock({ origin }), origin).toBe('open')
    for (const origin of ['https://example.com', 'http://localhost.example.com', 'null', '', 'file://'])
      expect(await door.knock({ origin }), origin).toBe('refused 403')
    expect(door.infos).toHaveLength(3)
  })

  it('[LN5] and nobody who comes from another machine, whatever he says of himself', () => {
    const scope = new Scope<string>('door')
    const calls = new WebSocketCalls({ scope, onCall: () => {} })
    const knock = (address: string | undefined): string | undefined =>
      calls.admit({ origin: here, host: 'localhost', address, url: '/', protocols: offer({}) }).refused
    expect(knock('127.0.0.1')).toBeUndefined()
    expect(knock('::ffff:127.0.0.1')).toBeUndefined()
    expect(knock('::1')).toBeUndefined()
    for (const address of ['10.0.0.7', '::ffff:10.0.0.7', '127.0.0.1.example.com', undefined])
      expect(knock(address)).toBe('ORIGIN_REFUSED')
    scope.abort()
  })

  it('there are no tokens', async () => {
    await using door = await Door.listen()
    expect(() => door.calls.token()).toThrow(/need a secret/)
  })
})

describe('with a secret', () => {
  it('[LN5] nobody is let in without a token that it has signed, and no session is made', async () => {
    await using door = await Door.listen({ secret })
    const other = await Door.listen({ secret: 'another secret, of more' })
    const stranger = other.calls.token()
    await other[Symbol.asyncDispose]()
    expect(await door.knock({})).toBe('4401 TOKEN_MISSING')
    expect(await door.knock({ protocols: offer({ token: 'abc.def' }) })).toBe('4401 TOKEN_INVALID')
    expect(await door.knock({ protocols: offer({ token: stranger }) })).toBe('4401 TOKEN_INVALID')
    const expired = door.calls.token({ expiresIn: -1 })
    expect(await door.knock({ protocols: offer({ token: expired }) })).toBe('4401 TOKEN_EXPIRED')
    expect(await door.knock({ protocols: [...offer({ token: 'x' }), 'x'.repeat(8_000)] })).toMatch(/^4401/)
    expect(door.infos).toEqual([])

    const token = door.calls.token({ data: { name: 'Jo' } })
    expect(await door.knock({ origin: 'https://example.com', protocols: offer({ token }) })).toBe('open')
    expect(door.infos).toMatchObject([
      { data: { name: 'Jo' }, origin: 'https://example.com', address: '127.0.0.1', url: '/call?knock=5' },
    ])
  })

  it('[LN5] pages of other origins are refused before their token is looked at', async () => {
    await using door = await Door.listen({ secret, origins: ['https://clinic.example'] })
    const protocols = offer({ token: door.calls.token() })
    expect(await door.knock({ origin: 'https://evil.example', protocols })).toBe('refused 403')
    expect(await door.knock({ origin: 'https://clinic.example', protocols })).toBe('open')
    // A program has no origin, and a token.
    expect(await door.knock({ origin: '', protocols })).toBe('open')
  })

  it('a secret that can be guessed is refused', () => {
    const scope = new Scope<string>('door')
    expect(() => new WebSocketCalls({ scope, onCall: () => {}, secret: 'short' })).toThrow(/16 characters/)
    scope.abort()
  })
})

describe('limits', () => {
  it('of calls at once, and of calls a second', async () => {
    await using busy = await Door.listen({ maxCalls: 2 })
    const dials = [wsNetwork.dial(silentCall(busy.port), quiet), wsNetwork.dial(silentCall(busy.port), quiet)]
    await busy.called(2)
    expect(await busy.knock({})).toBe('4503 BUSY')
    for (const socket of dials) socket.abort()
    await using fast = await Door.listen({ maxRate: 2 })
    expect(await Promise.all([fast.knock({}), fast.knock({}), fast.knock({})])).toContain('4429 TOO_FAST')
  })

  it('a server that closes takes nobody', async () => {
    await using door = await Door.listen()
    const closing = door.scope.close()
    expect(await door.knock({})).toBe('refused 503')
    await closing
  })
})

it('what is no call of ours is told so in plain HTTP, with a code', async () => {
  await using door = await Door.listen()
  expect(await door.knock({ protocols: ['chat'] })).toBe('refused 400')
  const answer = await new Promise<IncomingMessage>((resolve) => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket' }
    request({ port: door.port, host: '127.0.0.1', headers }, resolve).end()
  })
  let body = ''
  for await (const chunk of answer) body += String(chunk)
  expect(answer.statusCode).toBe(400)
  expect(JSON.parse(body)).toMatchObject({ code: 'NOT_A_CALL' })
})
