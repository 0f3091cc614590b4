import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { limits } from '../../src/lines/twilio/limits.ts'
import { TwilioCalls, type PhoneCallInfo, type TwilioCallsOptions } from '../../src/lines/twilio/index.ts'
import { wsNetwork } from '../../src/link/index.ts'
import { Scope, type Socket, type SocketEnd } from '../../src/scope/index.ts'
import { streamIn } from './phone.ts'
import { proxyHeaders } from './proxy-headers.ts'
import { signatureOf } from './twilio-signature.ts'

const authToken = 'a token that nobody must see'
const publicUrl = 'https://phone.example.com/voice'

/** A real server that takes calls, answers none, and records the calls of `onCall`. */
class TestServer {
  readonly scope = new Scope<string>('server', { phases: ['tasks', 'resources'] })
  readonly calls: TwilioCalls
  readonly infos: PhoneCallInfo[] = []
  readonly logged: unknown[] = []
  readonly asked: string[] = []
  readonly #server = createServer((request, response) => {
    if (!this.calls.request(request, response)) response.writeHead(404).end()
  })

  private constructor(options: Partial<TwilioCallsOptions>) {
    const log = (...args: unknown[]): void => void this.logged.push(args)
    this.calls = new TwilioCalls({
      scope: this.scope,
      onCall: (_, info) => void this.infos.push(info),
      fetch: (url) => {
        this.asked.push(url as string)
        return Promise.resolve(new Response('{}'))
      },
      logger: { debug: log, info: log, warn: log, error: log },
      ...options,
    })
    this.#server.on('upgrade', (...upgrade) => this.calls.upgrade(...upgrade))
  }

  static async listen(options: Partial<TwilioCallsOptions> = {}): Promise<TestServer> {
    const server = new TestServer(options)
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Posts a form. Resolves to the status and the body of the answer. */
  post(
    path: string,
    body: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        { port: this.port, host: '127.0.0.1', path, method: 'POST', agent: false, headers },
        (response) => {
          let text = ''
          response.on('data', (data) => (text += String(data)))
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
        },
      )
      request.on('error', reject)
      request.end(body)
    })
  }

  /** Dials. Resolves to `open` or `refused STATUS`. */
  dial(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    return new Promise((resolve) => {
      const url = `ws://127.0.0.1:${this.port}${path}`
      const socket = wsNetwork.dial(
        { name: 'dial', url, headers },
        {
          opened: () => socket.abort(),
          message() {},
          ended: (end) => resolve(end.how === 'refused' ? `refused ${end.status}` : 'open'),
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

const CALL = { CallSid: 'CA1', AccountSid: 'AC1', From: '+15550100', To: '+15550199', CallStatus: 'ringing' }
const FORM = new URLSearchParams(CALL).toString()

/** The path of the stream in a document. */
const pathIn = (document: string): string => new URL(streamIn(document)!).pathname

describe('without a token', () => {
  it('[LN5] [LN11] only this machine may call: no proxy, no page and no other host name', async () => {
    await using server = await TestServer.listen({ beginsWith: 'stream' })
    const address = async (): Promise<string> => pathIn((await server.post('/phone/answer', FORM)).body)
    for (const headers of [
      ...proxyHeaders.map((name) => ({ [name]: '10.0.0.7' })),
      { host: 'phone.example.com' },
      { host: '203.0.113.5' },
      { origin: 'http://localhost:3000' },
      { 'sec-fetch-site': 'same-origin' },
    ] as const) {
      expect(await server.post('/phone/answer', FORM, { ...headers })).toMatchObject({ status: 403 })
      expect(await server.dial(await address(), { ...headers })).toBe('refused 403')
    }
    expect(await server.dial(await address())).toBe('open')
  })

  it('[LN9] a stream needs the address that the webhook gave out', async () => {
    await using server = await TestServer.listen()
    expect(await server.dial('/phone/stream')).toBe('refused 403')
    const { body } = await server.post('/phone/answer', FORM)
    expect(server.infos).toMatchObject([{ id: 'CA1', details: { CallStatus: 'ringing' } }])
    expect(await server.dial(pathIn(body).replace('CA1', 'CA2'))).toBe('refused 403')
    expect(await server.dial(pathIn(body))).toBe('open')
  })

  it('[LN5] other machines may not call, whatever host they name', () => {
    const scope = new Scope<string>('server')
    const calls = new TwilioCalls({ scope, onCall: () => {} })
    const headers = { host: 'localhost' }
    for (const address of ['10.0.0.7', '::ffff:10.0.0.7', undefined]) {
      const asks = { headers, address, body: FORM }
      expect(calls.webhook({ ...asks, method: 'POST', url: '/phone/answer' }).status).toBe(403)
      expect(calls.admit({ ...asks, method: 'GET', url: '/phone/stream' }).refused).toBe('NOT_THE_CARRIER')
    }
    scope.abort()
  })
})

describe('with a token', () => {
  const signed = (path: string, form = CALL): Record<string, string> => ({
    'x-twilio-signature': signatureOf(authToken, `${publicUrl}${path}`, form),
  })
  const signedStream = (path: string): Record<string, string> => ({
    'x-twilio-signature': signatureOf(authToken, `${publicUrl.replace('http', 'ws')}${path}`),
  })

  it('[LN5] only requests that the carrier signed for this address are admitted, also behind a proxy', async () => {
    await using server = await TestServer.listen({ authToken, publicUrl })
    const streams = `${publicUrl.replace('http', 'ws')}/phone/stream`
    expect(await server.post('/phone/answer', FORM)).toMatchObject({ status: 403 })
    expect(await server.post('/phone/answer', FORM, signed('/phone/status'))).toMatchObject({ status: 403 })
    expect(await server.post('/phone/answer', `${FORM}&a=b`, signed('/phone/answer'))).toMatchObject({
      status: 403,
    })
    expect(server.infos).toEqual([])

    const answer = await server.post('/phone/answer', FORM, signed('/phone/answer'))
    expect(answer.status).toBe(200)
    expect(answer.body).toContain(`<Stream url="${streams}/CA1/`)
    expect(answer.body).toContain(`<Connect action="${publicUrl}/phone/answer">`)
    expect(server.infos).toHaveLength(1)
    const path = streamIn(answer.body)!.slice(publicUrl.replace('http', 'ws').length)
    expect(await server.dial(path)).toBe('refused 403')
    expect(await server.dial(path, signed(path, {} as typeof CALL))).toBe('refused 403')
    expect(await server.dial('/phone/streams', signedStream('/phone/streams'))).toBe('refused 404')
    expect(await server.dial(path, signedStream(path))).toBe('open')
  })

  it('[LN9] the signature of a fixed address admits no stream: an address names the call, and expires', async () => {
    const scope = new Scope<string>('server')
    let now = 1_700_000_000_000
    Object.defineProperty(scope.clock, 'date', { value: () => now, configurable: true })
    const calls = new TwilioCalls({ scope, authToken, publicUrl, onCall: () => {} })
    const admit = (path: string): string | undefined =>
      calls.admit({ method: 'GET', url: path, headers: signedStream(path), address: '10.0.0.7', body: '' })
        .refused
    const { body } = calls.webhook({
      method: 'POST',
      url: '/phone/answer',
      headers: signed('/phone/answer'),
      address: '10.0.0.7',
      body: FORM,
    })
    const path = streamIn(body)!.slice(publicUrl.replace('http', 'ws').length)
    expect(admit('/phone/stream')).toBe('TICKET_INVALID')
    expect(admit(path.replace('CA1', 'CA2'))).toBe('TICKET_INVALID')
    expect(admit(path)).toBeUndefined()
    now += limits.ticket
    expect(admit(path)).toBe('TICKET_INVALID')
    Reflect.deleteProperty(scope.clock, 'date')
    scope.abort()
  })

  it('the headers of a proxy are believed without publicUrl, since the signature covers them', async () => {
    await using server = await TestServer.listen({ authToken })
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'a.example' }
    const signature = signatureOf(authToken, 'https://a.example/phone/answer', CALL)
    const answer = await server.post('/phone/answer', FORM, { ...headers, 'x-twilio-signature': signature })
    expect(answer.body).toContain('<Stream url="wss://a.example/phone/stream/CA1/')
  })

  it('calls from another account are refused', async () => {
    await using server = await TestServer.listen({ authToken, publicUrl, accountSid: 'AC2' })
    expect(await server.post('/phone/answer', FORM, signed('/phone/answer'))).toMatchObject({ status: 400 })
    expect(server.infos).toEqual([])
  })

  it('the token appears in no log, report or inspection', async () => {
    const server = await TestServer.listen({ authToken, publicUrl })
    await server.post('/phone/answer', FORM)
    await server.post('/phone/answer', FORM, signed('/phone/answer'))
    expect(server.infos).toHaveLength(1)
    const views = [server.calls, server.calls.inspect(), server.scope.inspect(), server.infos, server.logged]
    expect(inspect(views, { depth: 20, showHidden: true, getters: true })).not.toContain(authToken)
    expect(JSON.stringify(await server.scope.close())).not.toContain(authToken)
    expect(server.asked).toEqual(['https://api.twilio.com/2010-04-01/Accounts/AC1/Calls/CA1.json'])
    await server[Symbol.asyncDispose]()
  })
})

describe('Telnyx', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const signed = ({ scope }: TestServer, body: string): Record<string, string> => {
    const timestamp = String(Math.floor(scope.clock.date() / 1000))
    const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString('base64')
    return { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': signature }
  }
  const shown = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
  const form = new URLSearchParams({ CallSid: 'v3:a-b', From: '+15550100' }).toString()

  it('[LN5] signs its webhooks, and its streams carry the ticket from the document', async () => {
    await using server = await TestServer.listen({
      carrier: 'telnyx',
      authToken,
      publicKey: shown,
      publicUrl,
    })
    const headers = signed(server, form)
    expect(await server.post('/phone/answer', form)).toMatchObject({ status: 403 })
    const { body } = await server.post('/phone/answer', form, headers)
    const [, path = ''] = /url="wss:\/\/phone.example.com\/voice([^"]+)"/.exec(body) ?? []
    expect(body).toContain('bidirectionalMode="rtp"')
    expect(path).toMatch(/^\/phone\/stream\/v3%3Aa-b\/\d{13}\.[\w-]{43}\.[\w-]{43}$/)
    expect(await server.dial('/phone/stream')).toBe('refused 403')
    expect(await server.dial(path.replace('a-b', 'a-c'))).toBe('refused 403')
    expect(await server.dial(`${path}x`)).toBe('refused 403')
    expect(await server.dial('/phone/stream/%ff/x')).toBe('refused 404')
    expect(await server.dial(path)).toBe('open')
    expect(server.infos).toMatchObject([{ id: 'v3:a-b', from: '+15550100' }])
  })

  it('[LN10] signs the body of a webhook and not its query, so only fields of the body count', async () => {
    await using server = await TestServer.listen({
      carrier: 'telnyx',
      authToken,
      publicKey: shown,
      publicUrl,
    })
    const get = (query: string): number =>
      server.calls.webhook({
        method: 'GET',
        url: `/phone/answer?${query}`,
        headers: signed(server, ''),
        address: '10.0.0.7',
        body: '',
      }).status
    expect(get(form)).toBe(400)
    expect(get(`${form}&CallStatus=completed`)).toBe(400)
    expect(server.infos).toEqual([])
    const forged = await server.post(
      `/phone/status?CallSid=v3:x&CallStatus=completed`,
      form,
      signed(server, form),
    )
    expect(forged.status).toBe(200)
    const other = new URLSearchParams({ CallSid: 'v3:x' }).toString()
    expect((await server.post('/phone/answer', other, signed(server, other))).body).toContain('<Stream ')
  })

  it('[LN9] gets the same address again for a webhook that is replayed', async () => {
    await using server = await TestServer.listen({
      carrier: 'telnyx',
      authToken,
      publicKey: shown,
      publicUrl,
    })
    const headers = signed(server, form)
    const ids = new Set<string | undefined>()
    for (let i = 0; i < 3; i++) {
      const { body } = await server.post('/phone/answer', form, headers)
      ids.add(streamIn(body)?.split('.').at(-2))
    }
    expect(ids.size).toBe(1)
  })

  it('[LN10] gets 200 for a status', async () => {
    await using server = await TestServer.listen({
      carrier: 'telnyx',
      authToken,
      publicKey: shown,
      publicUrl,
    })
    const status = `${form}&CallStatus=completed`
    expect(await server.post('/phone/status', status, signed(server, status))).toMatchObject({ status: 200 })
  })
})

describe('a request', () => {
  it('that is not for a call is refused', async () => {
    await using server = await TestServer.listen()
    expect(await server.post('/elsewhere', FORM)).toMatchObject({ status: 404 })
    expect(await server.post('/phone/other', FORM)).toMatchObject({ status: 404 })
    expect(await server.post('/phone/answer', 'From=1')).toMatchObject({ status: 400 })
    const long = 'x'.repeat(limits.body + 1)
    expect(await server.post('/phone/answer', long)).toMatchObject({ status: 413 })
    expect(await server.dial('/phone/answer')).toBe('refused 404')
    expect(server.infos).toEqual([])
  })

  it.each(['../../etc', 'a b', '\u001b[2J', '-rf', '', 'x'.repeat(201)])(
    '[LN8] with an invalid name for the call is refused: %j',
    async (CallSid) => {
      await using server = await TestServer.listen()
      const form = new URLSearchParams({ ...CALL, CallSid }).toString()
      expect(await server.post('/phone/answer', form)).toMatchObject({ status: 400 })
      expect(await server.post('/phone/status', form)).toMatchObject({ status: 400 })
      expect(server.infos).toEqual([])
    },
  )

  it('[LN6] on a stream that is far too long cuts that stream and no other', async () => {
    await using server = await TestServer.listen()
    const { body } = await server.post('/phone/answer', FORM)
    const url = `ws://127.0.0.1:${server.port}${pathIn(body)}`
    const dial = (): { socket: Socket; ended: Promise<SocketEnd>; opened: Promise<void> } => {
      let socket!: Socket
      let opened!: Promise<void>
      const ended = new Promise<SocketEnd>((end) => {
        opened = new Promise((open) => {
          socket = wsNetwork.dial({ name: 'stream', url }, { opened: open, message() {}, ended: end })
        })
      })
      return { socket, ended, opened }
    }
    const [long, other] = [dial(), dial()]
    await Promise.all([long.opened, other.opened])
    long.socket.send('x'.repeat(2 * limits.message))
    expect(await long.ended).toMatchObject({ code: 1009 })
    expect(other.socket.state).toBe('open')
    other.socket.abort()
    await other.ended
  })

  it('[LN12] for which there is no room gets the busy signal at once', async () => {
    await using server = await TestServer.listen({ hasRoom: () => false })
    expect((await server.post('/phone/answer', FORM)).body).toContain('<Reject reason="busy"/>')
    expect(server.infos).toEqual([])
  })

  it('with the final status of an unknown call is remembered', async () => {
    await using server = await TestServer.listen()
    expect(await server.post('/phone/status', 'CallSid=CA1&CallStatus=completed')).toMatchObject({
      status: 200,
    })
    expect((await server.post('/phone/answer', FORM)).body).toContain('<Hangup/>')
    expect(server.infos).toEqual([])
  })
})

describe('options', () => {
  it('are refused if they are invalid', () => {
    const scope = new Scope<string>('server')
    const wrong = (options: Partial<TwilioCallsOptions>) => (): unknown =>
      new TwilioCalls({ scope, onCall: () => {}, ...options })
    expect(wrong({ authToken: '' })).toThrow(/authToken must not be empty/)
    expect(wrong({ carrier: 'telnyx', authToken })).toThrow(/publicKey/)
    expect(wrong({ publicUrl: 'phone.example.com' })).toThrow(/publicUrl/)
    expect(wrong({ path: 'phone' })).toThrow(/path/)
    expect(wrong({ lostTimeout: 0 })).toThrow(/lostTimeout/)
    expect(wrong({ maxCalls: 0 })).toThrow(/maxCalls/)
    scope.abort()
  })
})
