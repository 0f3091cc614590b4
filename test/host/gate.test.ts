import { describe, expect, it } from 'vitest'
import { Host, type HostOptions } from '../../src/host/index.ts'
import { Scope } from '../../src/scope/index.ts'
import { inVirtualTime } from '../../src/testing/index.ts'

const secret = 'correct horse'
const info = { name: 'x', version: '1', mode: 'dev' as const }

interface Asking {
  readonly method?: string
  readonly path?: string
  readonly remote?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Creates a host, and returns a function that sends it requests from any address. */
function aHost(scope: Scope, options: Partial<HostOptions> = {}) {
  const { app } = new Host({ scope, info, ...options })
  return async ({ method = 'GET', path = '/api/info', remote = '127.0.0.1', headers, body }: Asking = {}) =>
    app.request(
      path,
      {
        method,
        headers: { host: 'localhost:4000', ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      },
      { incoming: { socket: { remoteAddress: remote } } },
    )
}

/** Runs the test with a host that is closed afterwards. */
const withHost = async (
  options: Partial<HostOptions>,
  test: (ask: ReturnType<typeof aHost>) => Promise<void>,
): Promise<void> => {
  await using scope = new Scope('test')
  await test(aHost(scope, options))
}

const codeOf = async (response: Response): Promise<[number, string | undefined]> => {
  const body = response.status < 400 ? undefined : ((await response.json()) as { error: { code: string } })
  return [response.status, body?.error.code]
}

describe('a host without a secret', () => {
  it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])(
    'accepts requests from this machine (%s)',
    (remote) => withHost({}, async (ask) => expect((await ask({ remote })).status).toBe(200)),
  )

  it.each(['192.168.1.7', '::ffff:10.0.0.1', '2001:db8::1', '127.0.0.1.example.com', ''])(
    'refuses requests from another machine (%s)',
    (remote) =>
      withHost({}, async (ask) =>
        expect(await codeOf(await ask({ remote }))).toEqual([403, 'SECRET_NEEDED']),
      ),
  )
})

describe('the names of a host', () => {
  it.each(['localhost', 'localhost:4000', '127.0.0.1:4000', '[::1]:4000', '192.168.1.7', 'LOCALHOST'])(
    'include %s',
    (host) => withHost({}, async (ask) => expect((await ask({ headers: { host } })).status).toBe(200)),
  )

  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'evil.example:4000', ''])(
    'do not include %s: every request is refused, even for the page (DNS rebinding)',
    (host) =>
      withHost({}, async (ask) => {
        expect(await codeOf(await ask({ headers: { host } }))).toEqual([403, 'UNKNOWN_HOST'])
        expect((await ask({ path: '/', headers: { host } })).status).toBe(403)
      }),
  )

  it('include those of the option `names`', () =>
    withHost({ names: ['Studio.example'] }, async (ask) =>
      expect((await ask({ headers: { host: 'studio.example' } })).status).toBe(200),
    ))
})

describe('the origin of a request', () => {
  it.each<readonly [string, Record<string, string>]>([
    ['another site', { origin: 'https://evil.example' }],
    ['another port', { origin: 'http://localhost:5000' }],
    ['a sandboxed page', { origin: 'null' }],
    ['a form of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page on another port', { 'sec-fetch-site': 'same-site' }],
  ])('must not be foreign: %s is refused', (_, headers) =>
    withHost({}, async (ask) => {
      expect(await codeOf(await ask({ headers }))).toEqual([403, 'FOREIGN_ORIGIN'])
      const act = await ask({ method: 'POST', path: '/api/sessions/x/close', headers })
      expect(await codeOf(act)).toEqual([403, 'FOREIGN_ORIGIN'])
    }),
  )

  it.each<readonly [string, Record<string, string>]>([
    ['its own page', { origin: 'http://localhost:4000', 'sec-fetch-site': 'same-origin' }],
    ['its own page behind a proxy', { origin: 'https://localhost', host: 'localhost' }],
    ['a typed address', { 'sec-fetch-site': 'none' }],
    ['a program', {}],
  ])('may be the host itself: %s is accepted', (_, headers) =>
    withHost({}, async (ask) => expect((await ask({ headers })).status).toBe(200)),
  )

  it('must not be foreign for a login either', () =>
    withHost({ secret }, async (ask) => {
      const headers = { origin: 'https://evil.example' }
      const response = await ask({ method: 'POST', path: '/api/login', headers, body: { secret } })
      expect(await codeOf(response)).toEqual([403, 'FOREIGN_ORIGIN'])
    }))
})

describe('a host with a secret', () => {
  it('serves only the page and the login without it, even to this machine', () =>
    withHost({ secret, faults: { list: () => [], set: () => {} } }, async (ask) => {
      const asks: Asking[] = [
        { path: '/api/info' },
        { path: '/api/sessions' },
        { path: '/api/sessions/x' },
        { path: '/api/events' },
        { path: '/api/sessions/x/events' },
        { path: '/api/nothing' },
        { method: 'POST', path: '/api/sessions/x/close' },
        { method: 'PUT', path: '/api/faults', body: { names: [] } },
      ]
      for (const asking of asks) expect(await codeOf(await ask(asking))).toEqual([401, 'UNAUTHORISED'])
    }))

  it('accepts it in the authorization header', () =>
    withHost({ secret }, async (ask) => {
      const show = (text: string) => ask({ remote: '10.1.1.1', headers: { authorization: text } })
      expect((await show(`Bearer ${secret}`)).status).toBe(200)
      expect(await codeOf(await show('Bearer wrong'))).toEqual([401, 'WRONG_SECRET'])
      expect(await codeOf(await show(secret))).toEqual([401, 'UNAUTHORISED'])
    }))

  it('gives a browser an HTTP-only cookie that expires', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('test', { clock })
      const ask = aHost(scope, { secret })
      const headers = { origin: 'https://localhost:4000' }
      const response = await ask({ method: 'POST', path: '/api/login', headers, body: { secret } })
      expect(response.status).toBe(204)
      const set = response.headers.get('set-cookie')!
      expect(set).toMatch(
        /^endwell-[0-9a-f]{8}=\d+\.[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      )
      expect(set).not.toContain(secret)

      const [cookie] = set.split(';') as [string]
      const withCookie = (text: string) => ask({ headers: { cookie: `other=1; ${text}` } })
      expect((await withCookie(cookie)).status).toBe(200)
      const [name, , signature] = cookie.split(/[=.]/)
      expect((await withCookie(`${name}=9999999999999.${signature}`)).status).toBe(401)
      expect((await withCookie(`${name}=`)).status).toBe(401)
      await clock.elapse(12 * 3_600_000)
      expect((await withCookie(cookie)).status).toBe(401)
    }))

  it('deletes the cookie on logout', () =>
    withHost({ secret }, async (ask) => {
      const response = await ask({ method: 'POST', path: '/api/logout' })
      expect(response.headers.get('set-cookie')).toContain('Max-Age=0')
    }))

  it('allows ten wrong guesses per minute and address, and then refuses the right secret too', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('test', { clock })
      const ask = aHost(scope, { secret })
      const guess = async (text: string, remote = '10.1.1.1') =>
        (await ask({ method: 'POST', path: '/api/login', remote, body: { secret: text } })).status
      const statuses: number[] = []
      for (let i = 0; i < 11; i++) statuses.push(await guess(`guess ${i}`))
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
      expect(await guess(secret)).toBe(429)
      expect(await guess(secret, '10.2.2.2')).toBe(204)
      await clock.elapse(60_000)
      expect(await guess(secret)).toBe(204)
    }))

  it('rejects a short secret', () =>
    withHost({}, async () => {
      await using scope = new Scope('test')
      expect(() => new Host({ scope, info, secret: 'short' })).toThrow('8 characters or more')
    }))
})

describe('every response of a host', () => {
  it.each(['/', '/api/info', '/api/nothing'])('to %s has security headers', (path) =>
    withHost({}, async (ask) => {
      const { headers } = await ask({ path })
      const policy = headers.get('content-security-policy')!
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("style-src 'self'; ")
      expect(policy).toContain("connect-src 'self' ws://localhost:4000 wss://localhost:4000; ")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }),
  )

  it('is 413 to a request with a body that is too large', () =>
    withHost({ faults: { list: () => [], set: () => {} } }, async (ask) => {
      const body = { names: ['x'.repeat(20_000)] }
      const headers = { 'content-length': '20020' }
      const response = await ask({ method: 'PUT', path: '/api/faults', headers, body })
      expect(await codeOf(response)).toEqual([413, 'TOO_LARGE'])
    }))
})
