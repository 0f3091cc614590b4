import { TwilioCarrier } from '../../src/testing/servers/index.ts'
import type { TypingPage } from '../cli/typing-page.ts'
import { Checks, type Check } from './checks.ts'
import { DOMAIN, type ProxyName } from './configurations.ts'
import { StartedHost } from './host.ts'
import { Proxy } from './proxy.ts'
import { PUBLIC_URL, Visitor, type Answer } from './visitor.ts'

const SECRET = 'a secret for the hosts behind the proxies'

/** Starts a proxy in front of real hosts, one with a secret and one without, and checks what a visitor gets. */
export async function runProxy(
  name: ProxyName,
  program: string,
  report: (check: Check) => void,
): Promise<readonly Check[]> {
  const checks = new Checks(name, report)
  await using carrier = await TwilioCarrier.listen({ publicUrl: PUBLIC_URL })
  const { authToken, accountSid, url } = carrier
  const account = { TWILIO_AUTH_TOKEN: authToken, TWILIO_ACCOUNT_SID: accountSid, TWILIO_API_URL: url }
  await checks.group('a host with a secret', () =>
    behind(name, program, { ENDWELL_SECRET: SECRET, ...account }, async (visitor, host) => {
      await checkPage(checks, visitor)
      await checkCalls(checks, visitor)
      await checkPhone(checks, visitor, carrier)
      await checkDrain(checks, visitor, carrier, host)
    }),
  )
  await checks.group('a host without a secret', () =>
    behind(name, program, {}, (visitor) => checkNoSecret(checks, visitor, carrier)),
  )
  return checks.list
}

/** Runs something with a host and the proxy in front of it. */
async function behind(
  name: ProxyName,
  program: string,
  env: Readonly<Record<string, string>>,
  run: (visitor: Visitor, host: StartedHost) => Promise<void>,
): Promise<void> {
  const { host, port } = await StartedHost.start(env)
  try {
    const proxy = await Proxy.start(name, program, port)
    try {
      await run(new Visitor(proxy.port), host)
    } finally {
      await proxy.stop()
    }
  } finally {
    await host.stop()
  }
}

async function checkPage(checks: Checks, visitor: Visitor): Promise<void> {
  await checks.is('/healthz and /readyz answer', ['200 ok', '200 ready'], async () => [
    brief(await visitor.ask('/healthz')),
    brief(await visitor.ask('/readyz')),
  ])
  await checks.is('the page and its script load', [200, true, 200], async () => {
    const page = await visitor.ask('/')
    const [, script = 'missing'] = /<script[^>]* src="([^"]+)"/.exec(page.text) ?? []
    return [
      page.status,
      page.text.startsWith('<!doctype html>'),
      (await visitor.ask(new URL(script, PUBLIC_URL).pathname)).status,
    ]
  })
  await checks.is('the API and the metrics need the secret', [401, 401, 401], async () => [
    (await visitor.ask('/api/sessions')).status,
    (await visitor.ask('/metrics')).status,
    (await visitor.upgrade('/call')).status,
  ])
  await checks.is('Prometheus is admitted with the secret', [200, true], async () => {
    const { status, text } = await visitor.ask('/metrics', { headers: { authorization: `Bearer ${SECRET}` } })
    return [status, text.includes('endwell_calls ')]
  })
  await checks.is('a login over HTTPS gets a secure cookie', true, async () =>
    (await visitor.logIn(SECRET)).endsWith('; HttpOnly; SameSite=Strict; Secure'),
  )
}

async function checkCalls(checks: Checks, visitor: Visitor): Promise<void> {
  await checks.is(
    'a page calls, hears the agent, types, and hears the answer',
    'caller-hung-up',
    async () => {
      const page = await visitor.call()
      await heard(page, 300)
      const before = page.received
      page.type('When do you open?')
      await heard(page, before + 100)
      return await hangUp(visitor, page)
    },
  )
  await checks.is(
    'the event stream brings each event while it happens',
    [true, true, true, false],
    async () => {
      const events = visitor.events('/api/events')
      await events.until(() => events.ended || events.text.includes('"type":"sessions"'))
      const page = await visitor.call()
      await page.until(() => page.closed || page.call !== '')
      await events.until(() => events.ended || events.text.includes(page.call))
      const listed = events.text.includes(page.call)
      const own = visitor.events(`/api/sessions/${page.call}/events`)
      await own.until(() => own.ended || own.text.includes('data:'))
      const streamed = own.text.includes('data:') && !own.ended
      const reason = await hangUp(visitor, page)
      const { ended } = events
      events.close()
      own.close()
      return [listed, streamed, reason === 'caller-hung-up', ended]
    },
  )
}

async function checkPhone(checks: Checks, visitor: Visitor, carrier: TwilioCarrier): Promise<void> {
  const webhook = `${visitor.url}/phone/answer`
  await checks.is(
    'a phone call that is signed for the public URL is answered and heard',
    [true, 'caller-hung-up'],
    async () => {
      const call = carrier.call(webhook, { headers: { host: DOMAIN } })
      await call.listens(200)
      const spoke = call.heardBytes > 0 && !call.over
      call.hangUp()
      await call.gone()
      return [spoke, await reasonOf(visitor, call.sid)]
    },
  )
  await checks.is('a phone call with a wrong signature is refused', 403, async () => {
    const call = carrier.call(webhook, { headers: { host: DOMAIN }, signs: 'wrongly' })
    await call.gone()
    return call.events.flatMap((event) => (event.type === 'refused' ? [event.status] : []))[0]
  })
}

async function checkDrain(
  checks: Checks,
  visitor: Visitor,
  carrier: TwilioCarrier,
  { program }: StartedHost,
): Promise<void> {
  const page = await visitor.call()
  await heard(page, 300)
  program.signal('SIGTERM')
  await program.prints(/"draining: /)
  await checks.is('while it drains, /readyz is 503 with Retry-After', ['503 draining', true], async () => {
    const answer = await untilStatus(visitor, 503)
    return [brief(answer), Number(answer.headers['retry-after']) > 0]
  })
  await checks.is('while it drains, /healthz is 200', '200 ok', async () =>
    brief(await visitor.ask('/healthz')),
  )
  await checks.is('while it drains, a new page is told so by the close frame', ['', 'CLOSING'], async () => {
    const late = await visitor.call()
    await late.until(() => late.closed)
    return [late.call, late.reason]
  })
  await checks.is(
    'while it drains, a new phone call keeps ringing: it is asked to try again',
    true,
    async () => {
      const call = carrier.call(`${visitor.url}/phone/answer`, { headers: { host: DOMAIN } })
      const askedAgain = (): boolean => call.events.some(({ type }) => type === 'told-more')
      await call.until(() => call.over || askedAgain())
      const rings = askedAgain() && !call.over && call.heardBytes === 0
      call.hangUp()
      return rings
    },
  )
  await checks.is('the call under way goes on, and the host ends with 0 after it', [true, 0], async () => {
    const before = page.received
    page.type('When do you open?')
    await heard(page, before + 100)
    const wentOn = page.received > before
    page.hangUp()
    return [wentOn, await program.ended()]
  })
}

/** Without a secret only this machine is admitted, and the proxy is not taken for it (LN11). */
async function checkNoSecret(checks: Checks, visitor: Visitor, carrier: TwilioCarrier): Promise<void> {
  for (const host of [DOMAIN, 'localhost'])
    await checks.is(
      `without a secret, everything through the proxy is refused, also for the name ${host}`,
      [],
      async () => {
        visitor.headers['host'] = host
        const paths = ['/api/info', '/api/sessions', '/api/events', '/metrics']
        const answers: [string, Answer][] = [
          ['/call', await visitor.upgrade('/call')],
          [
            '/phone/answer',
            await visitor.ask('/phone/answer', { method: 'POST', headers: form, body: 'CallSid=CA1' }),
          ],
        ]
        for (const path of paths) answers.push([path, await visitor.ask(path)])
        return answers.flatMap(([path, { status, text }]) =>
          isRefusal(host, status, text) ? [] : [`${path} ${status} ${text}`],
        )
      },
    )
  visitor.headers['host'] = DOMAIN
  await checks.is(
    'without a secret and a token, a phone call through the proxy is refused',
    403,
    async () => {
      const call = carrier.call(`${visitor.url}/phone/answer`, { headers: { host: DOMAIN } })
      await call.gone()
      return call.events.flatMap((event) => (event.type === 'refused' ? [event.status] : []))[0]
    },
  )
  await checks.is(
    'without a secret, /healthz answers',
    200,
    async () => (await visitor.ask('/healthz')).status,
  )
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** Caddy does not pass on a request for a name that is not its own: it answers with an empty page. */
function isRefusal(host: string, status: number, text: string): boolean {
  return status === 403 || (host !== DOMAIN && text === '')
}

async function heard(page: TypingPage, ms: number): Promise<void> {
  await page.until(() => page.closed || page.received >= ms)
  if (page.received < ms) throw new Error(`the call ended after ${page.received} ms: ${page.reason}`)
}

async function hangUp(visitor: Visitor, page: TypingPage): Promise<string> {
  page.hangUp()
  await page.until(() => page.closed)
  return await reasonOf(visitor, page.call)
}

/** The reason in the report of a call, as soon as there is one. */
async function reasonOf(visitor: Visitor, call: string): Promise<string> {
  for (;;) {
    const { status, text } = await visitor.ask(`/api/sessions/${call}`)
    if (status !== 200) throw new Error(`the session was answered with ${status}: ${text}`)
    const { report } = JSON.parse(text) as { readonly report?: { readonly reason: string } }
    if (report) return report.reason
  }
}

/** The state of a drain reaches the workers a moment after the signal. */
async function untilStatus(visitor: Visitor, status: number): Promise<Answer> {
  for (;;) {
    const answer = await visitor.ask('/readyz')
    if (answer.status === status) return answer
  }
}

const brief = ({ status, text }: Answer): string => `${status} ${text.trim()}`
