import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { limits } from '../../src/lines/twilio/limits.ts'
import { TwilioCalls, type PhoneCallInfo, type TwilioCallsOptions } from '../../src/lines/twilio/index.ts'
import { wsNetwork } from '../../src/link/index.ts'
import { Scope, type Socket, type SocketEnd } from '../../src/scope/index.ts'
import { signatureOf } from './twilio-signature.ts'

const authToken = 'a token that nobody must see'
const publicUrl = 'https://phone.example.com/voice'

/** A real server that takes calls and answers none, and counts what came to `onCall`. */
class Door {
  readonly scope = new Scope<string>('door', { phases: ['tasks', 'resources'] })
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

  static async listen(options: Partial<TwilioCallsOptions> = {}): Promise<Door> {
    const door = new Door(options)
    await new Promise<void>((resolve) => door.#server.listen(0, '127.0.0.1', resolve))
    return door
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Posts a form. Resolves to the status, and what came. */
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

  /** Dials, and tells how it went. */
  knock(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    return new Promise((resolve) => {
      const url = `ws://127.0.0.1:${this.port}${path}`
      const socket = wsNetwork.dial(
        { name: 'knock', url, headers },
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

describe('without a token', () => {
  it('[LN5] only this machine may call: no proxy, no page, no other name', async () => {
    await using door = await Door.listen()
    for (const headers of [
      { 'x-forwarded-for': '10.0.0.7' },
      { 'x-forwarded-host': 'localhost' },
      { forwarded: 'for=10.0.0.7' },
      { host: 'phone.example.com' },
      { origin: 'http://localhost:3000' },
      { 'sec-fetch-site': 'same-origin' },
    ] as const) {
      expect(await door.post('/phone/answer', FORM, { ...headers })).toMatchObject({ status: 403 })
      expect(await door.knock('/phone/stream', { ...headers })).toBe('refused 403')
    }
    expect(door.infos).toEqual([])
    expect(await door.knock('/phone/stream')).toBe('open')
    expect(await door.post('/phone/answer', FORM)).toMatchObject({ status: 200 })
    expect(door.infos).toMatchObject([{ id: 'CA1', details: { CallStatus: 'ringing' } }])
  })

  it('[LN5] and nobody from another machine, whatever he says', () => {
    const scope = new Scope<string>('door')
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

  it('[LN5] only what the carrier has signed for this address is let in, behind a proxy too', async () => {
    await using door = await Door.listen({ authToken, publicUrl })
    const streams = `${publicUrl.replace('http', 'ws')}/phone/stream`
    const stream = { 'x-twilio-signature': signatureOf(authToken, streams) }
    expect(await door.post('/phone/answer', FORM)).toMatchObject({ status: 403 })
    expect(await door.post('/phone/answer', FORM, signed('/phone/status'))).toMatchObject({ status: 403 })
    expect(await door.post('/phone/answer', `${FORM}&a=b`, signed('/phone/answer'))).toMatchObject({
      status: 403,
    })
    expect(await door.knock('/phone/stream')).toBe('refused 403')
    expect(await door.knock('/phone/stream', signed('/phone/stream', {} as typeof CALL))).toBe('refused 403')
    expect(await door.knock('/phone/streams', stream)).toBe('refused 404')
    expect(door.infos).toEqual([])

    expect(await door.knock('/phone/stream', stream)).toBe('open')
    const answer = await door.post('/phone/answer', FORM, signed('/phone/answer'))
    expect(answer.status).toBe(200)
    expect(answer.body).toContain(`<Stream url="${streams}">`)
    expect(answer.body).toContain(`<Connect action="${publicUrl}/phone/answer">`)
    expect(door.infos).toHaveLength(1)
  })

  it('a proxy is believed where there is no publicUrl, since a signature cannot be', async () => {
    await using door = await Door.listen({ authToken })
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'a.example' }
    const signature = signatureOf(authToken, 'https://a.example/phone/answer', CALL)
    const answer = await door.post('/phone/answer', FORM, { ...headers, 'x-twilio-signature': signature })
    expect(answer.body).toContain('<Stream url="wss://a.example/phone/stream">')
  })

  it('calls of another account are refused', async () => {
    await using door = await Door.listen({ authToken, publicUrl, accountSid: 'AC2' })
    expect(await door.post('/phone/answer', FORM, signed('/phone/answer'))).toMatchObject({ status: 400 })
    expect(door.infos).toEqual([])
  })

  it('the token is nowhere to be seen', async () => {
    const door = await Door.listen({ authToken, publicUrl })
    await door.post('/phone/answer', FORM)
    await door.post('/phone/answer', FORM, signed('/phone/answer'))
    expect(door.infos).toHaveLength(1)
    const views = [door.calls, door.calls.inspect(), door.scope.inspect(), door.infos, door.logged]
    expect(inspect(views, { depth: 20, showHidden: true, getters: true })).not.toContain(authToken)
    expect(JSON.stringify(await door.scope.close())).not.toContain(authToken)
    expect(door.asked).toEqual(['https://api.twilio.com/2010-04-01/Accounts/AC1/Calls/CA1.json'])
    await door[Symbol.asyncDispose]()
  })
})

describe('Telnyx', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const shown = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
  const form = new URLSearchParams({ CallSid: 'v3:a-b', From: '+15550100' }).toString()

  it('[LN5] signs its webhooks, and its streams come with the ticket that it was told', async () => {
    await using door = await Door.listen({ carrier: 'telnyx', authToken, publicKey: shown, publicUrl })
    const timestamp = String(Math.floor(door.scope.clock.date() / 1000))
    const signature = sign(null, Buffer.from(`${timestamp}|${form}`), privateKey).toString('base64')
    const headers = { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': signature }
    expect(await door.post('/phone/answer', form)).toMatchObject({ status: 403 })
    const { body } = await door.post('/phone/answer', form, headers)
    const [, path = ''] = /url="wss:\/\/phone.example.com\/voice([^"]+)"/.exec(body) ?? []
    expect(body).toContain('bidirectionalMode="rtp"')
    expect(path).toMatch(/^\/phone\/stream\/v3%3Aa-b\/[\w-]{43}$/)
    expect(await door.knock('/phone/stream')).toBe('refused 403')
    expect(await door.knock(path.replace('a-b', 'a-c'))).toBe('refused 403')
    expect(await door.knock(`${path}x`)).toBe('refused 403')
    expect(await door.knock('/phone/stream/%ff/x')).toBe('refused 404')
    expect(await door.knock(path)).toBe('open')
    expect(door.infos).toMatchObject([{ id: 'v3:a-b', from: '+15550100' }])
  })
})

describe('what is no call', () => {
  it('is told so, and costs nothing', async () => {
    await using door = await Door.listen()
    expect(await door.post('/elsewhere', FORM)).toMatchObject({ status: 404 })
    expect(await door.post('/phone/other', FORM)).toMatchObject({ status: 404 })
    expect(await door.post('/phone/answer', 'From=1')).toMatchObject({ status: 400 })
    expect(await door.post('/phone/answer', `CallSid=${'x'.repeat(limits.name + 1)}`)).toMatchObject({
      status: 400,
    })
    const long = 'x'.repeat(limits.body + 1)
    expect(await door.post('/phone/answer', long)).toMatchObject({ status: 413 })
    expect(await door.knock('/phone/answer')).toBe('refused 404')
    expect(door.infos).toEqual([])
  })

  it('a message that is far too long cuts its stream, and no other', async () => {
    await using door = await Door.listen()
    const url = `ws://127.0.0.1:${door.port}/phone/stream`
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

  it('a status of a call that is not known here is heard, and remembered', async () => {
    await using door = await Door.listen()
    expect(await door.post('/phone/status', 'CallSid=CA1&CallStatus=completed')).toMatchObject({
      status: 204,
    })
    expect((await door.post('/phone/answer', FORM)).body).toContain('<Hangup/>')
    expect(door.infos).toEqual([])
  })

  it('options that cannot be are refused', () => {
    const scope = new Scope<string>('door')
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
