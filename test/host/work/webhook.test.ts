import { inspect } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import {
  RetryLater,
  Unrecoverable,
  WebhookError,
  WorkRunner,
  webhook,
  type AfterCallContext,
  type WebhookOptions,
} from '../../../src/host/index.ts'
import { Scope, noop, systemClock } from '../../../src/scope/index.ts'
import { FastClock } from '../../fast-clock.ts'
import { FakeWorkJournal, reportOf } from './fake-work-journal.ts'
import { RudeReceiver, isAuthentic, status, type Manner } from './rude-receiver.ts'

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ....').toString('base64')}`
const newSecret = `whsec_${Buffer.from('another secret of 24 byte').toString('base64')}`
const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

let receiver: RudeReceiver | undefined
afterEach(async () => {
  await receiver?.close()
  receiver = undefined
})

const open = async (...manners: Manner[]): Promise<RudeReceiver> =>
  (receiver = await RudeReceiver.open(...manners))

interface SendOptions extends Partial<WebhookOptions>, Partial<Omit<AfterCallContext, 'call'>> {}

/** Sends one webhook, on a clock that passes 15 s in a moment. */
async function send(to: string, options: SendOptions = {}): Promise<unknown> {
  const {
    key = 'c1:crm',
    attempt = 1,
    signal = new AbortController().signal,
    trace: traced,
    ...rest
  } = options
  const handler = webhook({ url: to, secret, clock: new FastClock({ step: 100 }), ...rest })
  const context = { key, call: 'c1', attempt, signal, ...(traced === undefined ? {} : { trace: traced }) }
  return handler(reportOf('c1'), context)
}

/** The error that a sender gets from a receiver with these manners. */
async function errorFrom(...manners: Manner[]): Promise<Error> {
  const { url } = await open(...manners)
  return send(url).then(
    () => new Error('it was accepted'),
    (error: Error) => error,
  )
}

describe('a webhook', () => {
  it('[HO19] has the report as JSON, the key as its id, the time, and the trace of the call', async () => {
    const { url, deliveries } = await open(status(204))
    await send(url, { trace, headers: { authorization: 'Bearer crm' } })
    const [{ headers, body }] = deliveries as [(typeof deliveries)[0]]
    expect(JSON.parse(body)).toEqual({
      type: 'call.ended',
      timestamp: '2026-01-01T10:00:00.250Z',
      data: reportOf('c1'),
    })
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'c1:crm',
      authorization: 'Bearer crm',
      traceparent: trace,
    })
    const sentAt = Number(headers['webhook-timestamp'])
    expect(Math.abs(systemClock.date() / 1_000 - sentAt)).toBeLessThan(300)
  })

  it('[HO19] has no trace that is not one', async () => {
    const { url, deliveries } = await open(status(200))
    await send(url)
    await send(url, { trace: 'not a trace' })
    expect(deliveries.map(({ headers }) => headers.traceparent)).toEqual([undefined, undefined])
  })

  it('[HO19] is signed, so that a receiver recognises every change', async () => {
    const { url, deliveries } = await open(status(200))
    await send(url)
    const [delivery] = deliveries as [(typeof deliveries)[0]]
    const { headers, body } = delivery
    expect(isAuthentic(delivery, secret)).toBe(true)
    expect(isAuthentic(delivery, newSecret)).toBe(false)
    expect(isAuthentic({ headers, body: body.replace('c1', 'c2') }, secret)).toBe(false)
    expect(isAuthentic({ headers: { ...headers, 'webhook-timestamp': '1' }, body }, secret)).toBe(false)
    expect(isAuthentic({ headers: { ...headers, 'webhook-id': 'c2:crm' }, body }, secret)).toBe(false)
  })

  it('[HO19] is signed by each of several secrets, so that they can be changed', async () => {
    const { url, deliveries } = await open(status(200))
    await send(url, { secret: [newSecret, secret] })
    expect(deliveries.map((each) => [isAuthentic(each, newSecret), isAuthentic(each, secret)])).toEqual([
      [true, true],
    ])
  })

  it('[HO19] has an id without a full stop, which would make it ambiguous what is signed', async () => {
    const { url, deliveries } = await open(status(200))
    await send(url, { key: 'c.1/crm ü%2E' })
    const [delivery] = deliveries as [(typeof deliveries)[0]]
    expect(delivery.headers['webhook-id']).toBe('c%2E1/crm%20%C3%BC%252E')
    expect(isAuthentic(delivery, secret)).toBe(true)
  })

  it.each([200, 201, 202, 204, 299])('[HO19] is done if the receiver answers %s', async (code) => {
    const { url } = await open(status(code))
    await expect(send(url)).resolves.toBeUndefined()
  })

  it.each([400, 401, 404, 408, 500, 502])('[HO19] is retried if the receiver answers %s', async (code) => {
    const error = await errorFrom(status(code, { 'retry-after': '60' }))
    expect(error).toBeInstanceOf(WebhookError)
    expect(error.message).toMatch(new RegExp(`^127\\.0\\.0\\.1:\\d+ answered ${code}$`))
  })

  it('[HO19] is given up if the receiver answers 410', async () => {
    expect(await errorFrom(status(410))).toBeInstanceOf(Unrecoverable)
  })

  it.each([301, 302, 303, 307, 308])('[HO19] does not follow a redirect: %s', async (code) => {
    const elsewhere = await RudeReceiver.open(status(200))
    try {
      const error = await errorFrom(status(code, { location: elsewhere.url }))
      expect(error.message).toMatch(`answered ${code}: redirects are not followed`)
      expect(elsewhere.deliveries).toEqual([])
    } finally {
      await elsewhere.close()
    }
  })

  it.each<[code: number, retryAfter: string, delay: number | undefined]>([
    [429, '120', 120_000],
    [503, '0', 0],
    [503, 'Thu, 01 Jan 1970 00:00:00 GMT', 0],
    [429, 'soon', undefined],
    [429, '-5', undefined],
    [429, '', undefined],
  ])('[HO19] respects Retry-After: %s with "%s" waits for %s', async (code, retryAfter, delay) => {
    const error = await errorFrom(status(code, { 'retry-after': retryAfter }))
    expect(error).toBeInstanceOf(delay === undefined ? WebhookError : RetryLater)
    expect((error as { delay?: number }).delay).toBe(delay)
  })

  it('[HO19] respects a date in Retry-After', async () => {
    const date = new Date(systemClock.date() + 3_600_000).toUTCString()
    const error = (await errorFrom(status(503, { 'retry-after': date }))) as RetryLater
    expect(error.delay).toBeGreaterThan(3_000_000)
    expect(error.delay).toBeLessThanOrEqual(3_600_000)
  })

  it('[HO19] is retried if nothing listens', async () => {
    const gone = await RudeReceiver.open(status(200))
    const { url } = gone
    await gone.close()
    await expect(send(url)).rejects.toThrow(/^127\.0\.0\.1:\d+ could not be reached: ECONNREFUSED$/)
  })
})

describe('a rude receiver', () => {
  const slowly =
    (first: string): Manner =>
    (_, socket) => {
      socket.write(first)
      const drip = (): void => {
        socket.write('x')
        timer = systemClock.after(5, 'drip', drip)
      }
      let timer = systemClock.after(5, 'drip', drip)
      socket.once('close', () => timer.clear())
    }

  it.each<[what: string, manner: Manner]>([
    ['never answers', () => {}],
    ['drips its headers', slowly('HTTP/1.1 200 OK\r\nx-slow: ')],
    ['stops in the middle of its headers', (_, socket) => socket.write('HTTP/1.1 200 OK\r\nx-half: ')],
  ])('[HO19] that %s is cut off after the timeout, and the webhook is retried', async (_, manner) => {
    const error = await errorFrom(manner)
    expect(error).toBeInstanceOf(WebhookError)
    expect(error.message).toMatch(/^127\.0\.0\.1:\d+ did not answer within 15000 ms$/)
    await receiver!.disconnected
  })

  it.each<[what: string, manner: Manner]>([
    ['closes the connection', (_, socket) => socket.end()],
    ['resets the connection', (_, socket) => socket.resetAndDestroy()],
    ['closes in the middle of its headers', (_, socket) => socket.end('HTTP/1.1 200 OK\r\nx-half: ')],
    ['answers with garbage', (_, socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    [
      'answers with endless headers',
      (_, socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(1_000_000)}\r\n\r\n`),
    ],
  ])('[HO19] that %s makes the webhook fail, to be retried', async (_, manner) => {
    const error = await errorFrom(manner)
    expect(error).toBeInstanceOf(WebhookError)
    expect(error.message).toMatch(/^127\.0\.0\.1:\d+ could not be reached: /)
    await receiver!.disconnected
  })

  const ok = 'HTTP/1.1 200 OK\r\n'
  it.each<[what: string, manner: Manner]>([
    ['closes in the middle of its body', (_, socket) => socket.end(`${ok}content-length: 100\r\n\r\nhalf`)],
    ['drips its body', slowly(`${ok}content-length: 100000\r\n\r\n`)],
    ['never ends its body', (_, socket) => socket.write(`${ok}content-length: 100\r\n\r\nhalf`)],
    [
      'sends broken chunks',
      (_, socket) => socket.end(`${ok}transfer-encoding: chunked\r\n\r\nnot a length\r\n`),
    ],
    [
      'sends a broken gzip',
      (_, socket) => socket.end(`${ok}content-encoding: gzip\r\ncontent-length: 4\r\n\r\nhalf`),
    ],
  ])('[HO19] that %s has accepted the webhook, and its connection is released', async (_, manner) => {
    const { url } = await open(manner)
    const clock = new FastClock({ step: 100 })
    await expect(send(url, { clock })).resolves.toBeUndefined()
    await receiver!.disconnected
    expect(clock.now()).toBeLessThan(5_000)
  })

  it('[HO19] that sends a body without end has accepted the webhook, and is cut off early', async () => {
    const flood: Manner = (response) => {
      response.writeHead(200)
      const pour = (): void => {
        while (response.write(Buffer.alloc(65_536))) if (response.destroyed) return
        response.once('drain', pour)
      }
      pour()
    }
    const { url } = await open(flood)
    await expect(send(url)).resolves.toBeUndefined()
    await receiver!.disconnected
    // What fits into the buffers of the system.
    expect(receiver!.sent).toBeLessThan(20_000_000)
  })

  it('[HO19] is left alone when the work is cancelled', async () => {
    const stop = new AbortController()
    const { url } = await open(() => stop.abort(new Error('the claim was lost')))
    const clock = new FastClock({ step: 100 })
    await expect(send(url, { signal: stop.signal, clock })).rejects.toThrow('the claim was lost')
    await receiver!.disconnected
    expect(clock.now()).toBeLessThan(15_000)
    await expect(send(url, { signal: stop.signal })).rejects.toThrow('the claim was lost')
    expect(receiver!.deliveries).toHaveLength(1)
  })

  it('[HO19] that fails twice and gets the webhook again recognises it by its id', async () => {
    const { url, deliveries } = await open(status(500), (_, socket) => socket.end(), status(200))
    const clock = new FastClock({ step: 100 })
    const scope = new Scope('worker', { clock })
    const journal = new FakeWorkJournal(clock)
    journal.add('c1:crm', { handler: 'crm', trace })
    let done: () => void = noop
    const delivered = new Promise<void>((resolve) => {
      done = resolve
    })
    const runner = new WorkRunner({
      scope,
      journal,
      owner: 'host 1',
      handlers: { crm: webhook({ url, secret, clock }) },
      onAttempt: ({ outcome }) => outcome === 'done' && done(),
    })
    await delivered
    await runner.close()
    await scope.close()
    expect(journal.work.get('c1:crm')).toMatchObject({ state: 'done', attempts: 3 })
    expect(deliveries.map((each) => [each.headers['webhook-id'], isAuthentic(each, secret)])).toEqual([
      ['c1:crm', true],
      ['c1:crm', true],
      ['c1:crm', true],
    ])
    expect(new Set(deliveries.map(({ body }) => body)).size).toBe(1)
    expect(journal.work.get('c1:crm')?.error).toMatch(
      /^WEBHOOK_FAILED: 127\.0\.0\.1:\d+ could not be reached/,
    )
  })

  it('[HO19] that answers shortly keeps its connection', async () => {
    const { url } = await open((response) => response.end('{"ok":true}'))
    for (let each = 0; each < 5; each++) await send(url)
    expect(receiver!.deliveries).toHaveLength(5)
    expect(receiver!.connections).toBeLessThan(5)
  })
})

describe('the secrets of a webhook', () => {
  it('[HO19] are in no error, and not in the handler', async () => {
    const leaks = [
      secret,
      secret.slice(6),
      'in-the-url',
      'crm-key',
      ...Buffer.from(secret.slice(6), 'base64').toString().split(' ... '),
    ]
    const errors: unknown[] = []
    for (const manner of [status(410), status(500), status(302), status(429, { 'retry-after': '1' })])
      errors.push(await errorFrom(manner))
    errors.push(
      await errorFrom((_, socket) => socket.end()),
      webhook({ url: receiver!.url, secret, headers: { 'x-key': 'crm-key' } }),
    )
    for (const url of [`http://u:${secret}@x.example`, `ftp://${secret}`, `x ${secret}`])
      try {
        webhook({ url, secret })
      } catch (error) {
        errors.push(error)
      }
    for (const bad of ['short', `whsec_${secret}`, secret.slice(6), 'whsec_c2hvcnQ='])
      try {
        webhook({ url: 'https://x.example', secret: bad })
      } catch (error) {
        errors.push(error)
      }
    expect(errors).toHaveLength(13)
    const text = inspect(errors, { depth: 20, showHidden: true })
    expect(leaks.filter((each) => text.includes(each))).toEqual([])
  })
})

describe('the options of a webhook', () => {
  const url = 'https://crm.example/calls'
  it.each<[options: WebhookOptions, message: string]>([
    [{ url: 'crm.example', secret }, 'webhook: the url is not a URL'],
    [{ url: undefined as never, secret }, 'webhook: the url is not a URL'],
    [{ url: 'wss://crm.example', secret }, "webhook: the url starts with 'wss:', not with 'https:'"],
    [{ url: 'https://u:p@crm.example', secret }, 'webhook: the url has a password in it'],
    [{ url: `${url}#top`, secret }, "webhook: the url contains a '#'"],
    [{ url, secret: undefined as never }, 'webhook: a secret must be whsec_ and 24 to 64 bytes in base64'],
    [{ url, secret: 'whsec_c2hvcnQ=' }, 'webhook: a secret must be whsec_'],
    [{ url, secret: `whsec_${Buffer.alloc(65).toString('base64')}` }, 'webhook: a secret must be whsec_'],
    [{ url, secret: secret.slice(6) }, 'webhook: a secret must be whsec_'],
    [{ url, secret: [] }, 'webhook: there must be 1 to 10 secrets; there are 0'],
    [{ url, secret: [secret, 'x'] }, 'webhook: a secret must be whsec_'],
    [{ url, secret, headers: { 'webhook-id': 'x' } }, "webhook: the header 'webhook-id' cannot be set"],
    [{ url, secret, headers: { Host: 'x' } }, "webhook: the header 'Host' cannot be set"],
    [{ url, secret, headers: { 'x-a': 'a\nb' } }, "webhook: the header 'x-a' is invalid"],
    [{ url, secret, headers: { 'x-a': undefined as never } }, "webhook: the header 'x-a' is invalid"],
    [{ url, secret, timeout: -1 }, 'webhook: timeout must be a finite number of milliseconds'],
  ])('[HO19] are checked when it is made: %#', (options, message) => {
    expect(() => webhook(options)).toThrow(message)
  })
})
