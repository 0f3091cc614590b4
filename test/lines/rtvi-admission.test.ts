import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { OneTimeTokens } from '../../src/lines/rtvi/one-time-tokens.ts'
import { RtviCalls, type RtviCallInfo, type RtviCallsOptions } from '../../src/lines/rtvi-websocket/index.ts'
import { makeToken } from '../../src/lines/call-token.ts'
import { wsNetwork } from '../../src/link/index.ts'
import { Scope, systemClock } from '../../src/scope/index.ts'
import { SimClock, inVirtualTime } from '../../src/testing/index.ts'
import { proxyHeaders } from './proxy-headers.ts'

const secret = 'a secret of sixteen'
const here = 'http://localhost:3000'

interface Asked {
  /** Empty for a program, which has no origin. */
  readonly origin?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface Started {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, string>>
}

/** A real server that takes calls, answers none, and records the calls of `onCall` and the log. */
class TestServer {
  readonly scope = new Scope<string>('server', { phases: ['tasks', 'resources'] })
  readonly calls: RtviCalls
  readonly infos: RtviCallInfo[] = []
  readonly logged: unknown[] = []
  readonly #server = createServer((request, response) => {
    if (!this.calls.request(request, response)) response.writeHead(404).end()
  })

  private constructor(options: Partial<RtviCallsOptions>) {
    const note = (...entry: unknown[]): void => void this.logged.push(entry)
    this.calls = new RtviCalls({
      scope: this.scope,
      onCall: (_, info) => this.infos.push(info),
      logger: { debug: note, info: note, warn: note, error: note },
      ...options,
    })
    this.#server.on('upgrade', (...upgrade) => this.calls.upgrade(...upgrade))
  }

  static async listen(options: Partial<RtviCallsOptions> = {}): Promise<TestServer> {
    const server = new TestServer(options)
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Starts a call over HTTP. */
  async start({ origin = here, method = 'POST', headers = {}, body }: Asked = {}): Promise<Started> {
    const response = await fetch(`http://127.0.0.1:${this.port}/start`, {
      method,
      headers: { connection: 'close', ...(origin === '' ? {} : { origin }), ...headers },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    const parsed = text === '' ? {} : (JSON.parse(text) as Started['body'])
    return { status: response.status, headers: response.headers, body: parsed }
  }

  /** Connects. Resolves to `open` or `refused STATUS`. */
  dial(token: string | undefined, { origin = here, headers = {} }: Asked = {}): Promise<string> {
    const query = token === undefined ? '' : `?token=${encodeURIComponent(token)}`
    return new Promise((resolve) => {
      const socket = wsNetwork.dial(
        {
          name: 'client',
          url: `ws://127.0.0.1:${this.port}/rtvi${query}`,
          headers: { ...(origin === '' ? {} : { origin }), ...headers },
        },
        {
          opened: () => {
            resolve('open')
            socket.abort()
          },
          message() {},
          ended: ({ how, status }) => {
            if (how === 'refused') resolve(`refused ${status}`)
          },
        },
      )
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

describe('a call', () => {
  it('[RV7] is started with a POST, and its token admits one connection', async () => {
    await using server = await TestServer.listen()
    const { status, headers, body } = await server.start({ body: '{"customer":7}' })
    expect(status).toBe(200)
    // The client refuses every other field.
    expect(Object.keys(body).toSorted()).toEqual(['token', 'wsUrl', 'ws_url'])
    expect(body['wsUrl']).toBe(`ws://127.0.0.1:${server.port}/rtvi`)
    expect(headers.get('access-control-allow-origin')).toBe(here)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(server.infos).toEqual([])
    expect(await server.dial(body['token'])).toBe('open')
    expect(server.infos).toMatchObject([{ data: { customer: 7 }, origin: here, address: '127.0.0.1' }])
    expect(await server.dial(body['token'])).toBe('refused 401')
    expect(server.infos).toHaveLength(1)
  })

  it('[RV7] needs no data, and gets those that fit into a token', async () => {
    await using server = await TestServer.listen()
    for (const body of [undefined, '', ' '])
      expect((await server.start(body === undefined ? {} : { body })).status).toBe(200)
    expect((await server.start({ body: '{' })).body).toMatchObject({ code: 'BAD_REQUEST' })
    expect((await server.start({ body: JSON.stringify('x'.repeat(5_000)) })).status).toBe(413)
    expect((await server.start({ body: 'x'.repeat(20_000) })).status).toBe(413)
    expect((await server.start({ method: 'GET' })).status).toBe(405)
  })

  it('[LN5] [RV7] without a token, or with a wrong, foreign or expired one, is refused over HTTP', async () => {
    await using server = await TestServer.listen({ secret, tokenKey: 'k'.repeat(16) })
    const mine = (expiresIn: number, key: string, purpose: 'rtvi' | 'call' = 'rtvi'): string =>
      makeToken(key, systemClock.date(), { expiresIn, data: { id: 'call' } }, purpose)
    for (const token of [
      undefined,
      '',
      'abc.def',
      mine(60_000, 'another key, of more'),
      mine(-1, 'k'.repeat(16)),
      mine(60_000, 'k'.repeat(16), 'call'),
      'x'.repeat(5_000),
    ])
      expect(await server.dial(token), token).toBe('refused 401')
    expect(server.infos).toEqual([])
    expect(await server.dial(mine(60_000, 'k'.repeat(16)))).toBe('open')
  })

  it('[RV7] is addressed as the client reaches the server', async () => {
    await using server = await TestServer.listen({ secret })
    const headers = { authorization: `Bearer ${secret}` }
    const proxied = await server.start({
      headers: { ...headers, 'x-forwarded-proto': 'https', 'x-forwarded-host': 'agent.example.com' },
    })
    expect(proxied.body['wsUrl']).toBe('wss://agent.example.com/rtvi')
    await using fixed = await TestServer.listen({ secret, publicUrl: 'https://calls.example.com/' })
    expect((await fixed.start({ headers })).body['wsUrl']).toBe('wss://calls.example.com/rtvi')
  })

  it('[RV7] is refused at once if there is no room, and the user of the client can read why', async () => {
    await using busy = await TestServer.listen({ hasRoom: () => false })
    expect(await busy.start()).toMatchObject({
      status: 503,
      body: { code: 'BUSY', info: 'all lines are busy: try again later' },
    })
    await using fast = await TestServer.listen({ maxRate: 1 })
    await fast.start()
    expect((await fast.start()).body).toMatchObject({ code: 'TOO_FAST', info: expect.any(String) as string })
    await using closing = await TestServer.listen()
    closing.calls.stopTaking()
    expect((await closing.start()).body).toMatchObject({ code: 'CLOSING' })
  })

  it('[LN12] [RV7] that was started when there was room is refused if there is none any more, and may try again', async () => {
    const room = { is: true }
    await using server = await TestServer.listen({ hasRoom: () => room.is })
    const { body } = await server.start()
    room.is = false
    expect(await server.dial(body['token'])).toBe('refused 503')
    room.is = true
    expect(await server.dial(body['token'])).toBe('open')
  })

  it('[RV7] may begin in another process that has room', async () => {
    await using full = await TestServer.listen({ hasRoom: () => false, hasRoomElsewhere: async () => true })
    expect((await full.start()).status).toBe(200)
  })

  it('[RV7] has a token that is in no log', async () => {
    await using server = await TestServer.listen()
    const { body } = await server.start()
    await server.dial(body['token'])
    await server.dial(body['token'])
    const log = JSON.stringify(server.logged)
    expect(log).toContain('TOKEN_USED')
    expect(log).not.toContain(body['token']!.slice(0, 20))
    expect(JSON.stringify(server.infos)).not.toContain(body['token'])
  })
})

describe('without a secret', () => {
  it('[LN5] [LN11] only pages on this machine may start a call or connect, and none through a proxy', async () => {
    await using server = await TestServer.listen({ maxRate: 100 })
    const strangers: Asked[] = [
      ...['https://example.com', 'http://localhost.example.com', 'null', ''].map((origin) => ({ origin })),
      ...proxyHeaders.map((name) => ({ headers: { [name]: '10.0.0.7' } })),
    ]
    for (const stranger of strangers) {
      const { status, headers } = await server.start(stranger)
      expect([status, headers.get('access-control-allow-origin')], JSON.stringify(stranger)).toEqual([
        403,
        null,
      ])
      const { body } = await server.start()
      expect(await server.dial(body['token'], stranger)).toBe('refused 403')
    }
    expect(server.infos).toEqual([])
  })

  it('[RV7] [LN5] a page on this machine may connect without a token, within the same limits, and nobody else', async () => {
    const room = { is: true }
    await using server = await TestServer.listen({ maxRate: 2, hasRoom: () => room.is })
    for (const stranger of [{ origin: 'https://example.com' }, { origin: '' }])
      expect(await server.dial(undefined, stranger)).toBe('refused 403')
    room.is = false
    expect(await server.dial(undefined)).toBe('refused 503')
    room.is = true
    expect(await server.dial(undefined)).toBe('open')
    expect(await server.dial(undefined)).toBe('open')
    expect(await server.dial(undefined)).toBe('refused 429')
    const [one, other] = server.infos
    expect(one).toMatchObject({ data: undefined, origin: here })
    expect(one!.id).not.toBe(other!.id)
    expect(server.infos).toHaveLength(2)
  })

  it('[RV7] a page of another port may ask whether it may call', async () => {
    await using server = await TestServer.listen()
    const { status, headers } = await server.start({ method: 'OPTIONS' })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-headers')).toContain('content-type')
    expect((await server.start({ method: 'OPTIONS', origin: 'https://example.com' })).status).toBe(403)
  })
})

describe('with a secret', () => {
  it('[LN5] [RV7] a call needs the secret to be started, and only its token to connect', async () => {
    await using server = await TestServer.listen({ secret })
    const bearer = (value: string): Asked => ({ headers: { authorization: `Bearer ${value}` } })
    expect((await server.start()).body).toMatchObject({ code: 'UNAUTHORISED' })
    expect((await server.start(bearer('another secret, of more'))).body).toMatchObject({
      code: 'WRONG_SECRET',
    })
    const { body } = await server.start({ ...bearer(secret), origin: '' })
    expect(await server.dial(body['token'], { origin: 'https://shop.example' })).toBe('open')
  })

  it('[LN5] pages from origins that are not listed are refused, whatever they know', async () => {
    await using server = await TestServer.listen({ secret, origins: ['https://shop.example'] })
    const headers = { authorization: `Bearer ${secret}` }
    expect((await server.start({ headers, origin: 'https://evil.example' })).status).toBe(403)
    const { body } = await server.start({ headers, origin: 'https://shop.example' })
    expect(await server.dial(body['token'], { origin: 'https://evil.example' })).toBe('refused 403')
    expect(await server.dial(body['token'], { origin: 'https://shop.example' })).toBe('open')
  })
})

it('[RV7] tokens that were used are remembered until they expire, and not longer', () =>
  inVirtualTime(async ({ clock }) => {
    const tokens = new OneTimeTokens({ key: 'k'.repeat(16), clock, lifetime: 60_000, maxLength: 4_000 })
    const given = tokens.give({ customer: 7 })
    if ('refused' in given) throw new Error(given.refused)
    const { id, token } = given
    expect(tokens.take(token)).toEqual({ id, data: { customer: 7 } })
    await clock.elapse(59_999)
    expect(tokens.take(token)).toEqual({ refused: 'TOKEN_USED' })
    await clock.elapse(1)
    expect(tokens.take(token)).toEqual({ refused: 'TOKEN_EXPIRED' })
  }))

it('mistakes in the options are errors at once', () => {
  const scope = new Scope<string>('server', { clock: new SimClock() })
  const make = (options: object) => () => new RtviCalls({ scope, onCall: () => {}, ...options })
  expect(make({ secret: 'short' })).toThrow(/16 characters/)
  expect(make({ lostTimeout: Infinity })).toThrow(/lostTimeout/)
  expect(make({ maxCalls: 0 })).toThrow(/maxCalls/)
  expect(make({ startPath: 'start' })).toThrow(/slash/)
  expect(make({ socketPath: '/start' })).toThrow(/differ/)
  expect(make({ tools: 'some' })).toThrow(/tools/)
  expect(make({ playerSampleRate: 44_100 })).toThrow(/playerSampleRate/)
  expect(make({ publicUrl: 'agent.example.com' })).toThrow(/publicUrl/)
  expect(make({ maxCall: 1 })).toThrow(/maxCalls/)
  scope.abort()
})
