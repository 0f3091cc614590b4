import { describe, expect, it } from 'vitest'
import { noop, systemClock } from '../../../src/scope/index.ts'
import { Agent, type RecordingSink } from '../../../src/session/index.ts'
import type { CallInfo } from '../../../src/host/agent-file.ts'
import type { StoredReport } from '../../../src/host/report-events.ts'
import { TwilioCarrier } from '../../../src/testing/servers/index.ts'
import { TcpProxy } from '../../lines/tcp-proxy.ts'
import { Pages } from './pages.ts'
import { TestHost } from './process.ts'

const unsigned = { signs: 'never', signsStream: 'never' } as const

const spokenIn = (items: readonly { readonly type: string }[]): string[] =>
  items.flatMap((item) => (item.type === 'message' ? [(item as { text?: string }).text ?? ''] : []))

describe('a reception with a journal', () => {
  it('[HO1] writes a call before it is answered, what is said while it runs, and its report before it is forgotten', async () => {
    await using host = await TestHost.open()
    const { reception, url } = await host.start()
    await using carrier = await TwilioCarrier.listen()
    const call = carrier.call(`${url}/phone/answer`, unsigned)
    await call.until(() => call.heardBytes > 0 || call.over)
    expect(await host.journal.find(call.sid)).toMatchObject({
      state: 'live',
      owner: { host: 'h1', worker: 'w1' },
      agent: 'desk',
      line: 'phone',
    })
    const session = reception.session(call.sid)!
    await new Promise<void>((resolve) => session.on('spoken', () => resolve()))
    call.hangUp()
    await call.gone()
    const { clean } = await session.closed
    expect(clean).toBe(true)
    await reception.close()
    expect(await host.journal.find(call.sid)).toMatchObject({
      state: 'closed',
      reason: 'caller-hung-up',
      clean,
    })
    expect(spokenIn((await host.journal.entries(call.sid)).map(({ item }) => item))).toEqual([
      'Good morning!',
    ])
    const report: StoredReport | undefined = await host.journal.report(call.sid)
    expect(report?.transcript).toHaveLength(1)
    // For the permalink of the call [ST3].
    expect(report?.timeline?.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['speaking', 'spoken', 'state']),
    )
    expect((await host.journal.find(call.sid))?.summary).toMatchObject({
      words: 'Good morning!',
      ended: 'hung-up',
    })
  })

  it('[HO36] a page goes on with its call in another process when its own was killed, with what was said before', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const first = await host.start()
    const second = await host.start({ welcomeBack: 'We were cut off.' })
    await using front = await TcpProxy.listen(first.reception.port)
    const caller = pages.dial(front.port)
    await caller.until(() => caller.heard.length > 0)
    const { call } = caller.hello!
    const before = first.reception.session(call)!
    await new Promise<void>((resolve) => before.on('spoken', () => resolve()))
    await first.die(host)
    front.lead(second.reception.port)
    front.cut()
    const cutAt = systemClock.now()
    await caller.until(() => caller.over || second.reception.session(call) !== undefined)
    const session = second.reception.session(call)!
    expect(session.history.items).toHaveLength(1)
    await caller.until(() => caller.over || caller.audibleAfter(cutAt) > 100)
    expect(caller.over).toBe(false)
    await new Promise<void>((resolve) => session.on('spoken', () => resolve()))
    caller.wire.hangUp()
    await session.closed
    await second.end()
    const report = await host.journal.report(call)
    expect(spokenIn(report!.transcript)).toEqual(['Good morning!', 'We were cut off.'])
    expect(report).toMatchObject({ reason: 'caller-hung-up', clean: true })
  })

  it('[HO4] a call that goes on says in its report what blocked the process that it was in before', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const first = await host.start()
    const culprit = 'the event loop of its process was blocked by loop (agent.ts:7)'
    const second = await host.start({ take: async (take) => ({ ...(await take())!, culprit }) })
    await using front = await TcpProxy.listen(first.reception.port)
    const caller = pages.dial(front.port)
    await caller.until(() => caller.heard.length > 0)
    const { call } = caller.hello!
    await first.die(host)
    front.lead(second.reception.port)
    front.cut()
    await caller.until(() => caller.over || second.reception.session(call)?.state === 'live')
    const report = await second.reception.session(call)!.close()
    expect(report).toMatchObject({
      clean: false,
      errors: [{ where: 'host', error: { code: 'HOST_LOST', message: culprit } }],
    })
  })

  it('[HO42] a call that goes on has a recording for each of its processes, and each has a place of its own', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const agent = (): Agent =>
      new Agent({ name: 'desk', instructions: '', onEnter: ({ session }) => session.say('Good morning!') })
    const sinks: { readonly part: number; aborted: boolean }[] = []
    const session = ({ id, part }: { id: string; part: number }): { recording: RecordingSink } => {
      const sink = { part, aborted: false }
      sinks.push(sink)
      const abort = (): void => void (sink.aborted = true)
      return { recording: { place: `${id}-${part}.wav`, write: noop, close: noop, abort } }
    }
    const file = { name: 'Bright Dental', agent, models: () => ({}) as never, session }
    const first = await host.start({ file })
    const second = await host.start({ file })
    await using front = await TcpProxy.listen(first.reception.port)
    const caller = pages.dial(front.port)
    await caller.until(() => caller.heard.length > 0)
    const { hello } = caller
    const { call } = hello!
    expect(await host.journal.find(call)).toMatchObject({ resume: { recording: `${call}-1.wav` } })
    await first.die(host)
    front.lead(second.reception.port)
    front.cut()
    await caller.until(() => caller.over || caller.hello !== hello)
    caller.wire.hangUp()
    await second.reception.session(call)?.closed
    await second.end()
    const [before, after, ...more] = (await host.journal.report(call))!.recordings!
    expect(before).toEqual({ place: `${call}-1.wav`, complete: false })
    expect(after).toMatchObject({ complete: true })
    expect(after?.place).not.toBe(before?.place)
    expect(more).toEqual([])
    // The second process did not know that the call had begun elsewhere.
    const [, unused, ...used] = sinks
    expect(unused).toEqual({ part: 1, aborted: true })
    expect(used).toMatchObject([{ aborted: false }])
  })

  it('[LN16] sends pages the transcript of their call', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const { reception } = await host.start()
    const page = pages.dial(reception.port)
    await page.until(() => page.transcript.entries[0]?.text === 'Good morning!')
    expect(page.transcript.entries).toMatchObject([{ by: 'agent' }])
  })

  it('[HO36] a page without the key of a call cannot go on with it', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const first = await host.start()
    const second = await host.start()
    const caller = pages.dial(first.reception.port)
    await caller.until(() => caller.hello !== undefined)
    const { call, generation } = caller.hello!
    caller.freezes()
    await first.die(host)
    const ticket = { call, generation, key: 'guessed' }
    const thief = pages.dial(second.reception.port, { ticket })
    await thief.until(() => thief.over)
    expect(thief.ends).toMatchObject([{ code: 'CALL_GONE' }])
    expect(second.reception.session(call)).toBeUndefined()
  })

  it('[HO36] [HO44] a phone call goes on in another process, whose agent hears about it', async () => {
    await using host = await TestHost.open()
    const first = await host.start()
    const resumed: string[] = []
    const infos: CallInfo[] = []
    const agent = (info: CallInfo): Agent => {
      if (info.line === 'phone') infos.push(info)
      return new Agent({
        name: 'desk',
        instructions: '',
        onEnter: () => resumed.push('entered'),
        onResume: ({ session }) => {
          resumed.push(...spokenIn(session.history.items))
          session.say('Sorry, where were we?')
        },
      })
    }
    const second = await host.start({ file: { name: 'Bright Dental', agent, models: () => ({}) as never } })
    await using front = await TcpProxy.listen(first.reception.port)
    await using carrier = await TwilioCarrier.listen()
    const call = carrier.call(`http://127.0.0.1:${front.port}/phone/answer?department=sales`, unsigned)
    await call.until(() => call.heardBytes > 0 || call.over)
    const before = first.reception.session(call.sid)!
    await new Promise<void>((resolve) => before.on('spoken', () => resolve()))
    const heard = call.heardBytes
    front.lead(second.reception.port)
    await first.die(host)
    await call.until(() => call.heardBytes > heard + 1_600 || call.over)
    expect(call.over).toBe(false)
    expect(resumed).toEqual(['Good morning!'])
    const { from, to } = call
    expect(infos.at(-1)).toMatchObject({
      direction: 'inbound',
      from,
      to,
      parameters: { department: 'sales' },
    })
    call.hangUp()
    await call.gone()
    await second.reception.session(call.sid)?.closed
  })

  it('[HO37] a page that comes back to the wrong process is led to the one that serves its call', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const first = await host.start()
    const second = await host.start()
    await using front = await TcpProxy.listen(first.reception.port)
    const caller = pages.dial(front.port)
    await caller.until(() => caller.heard.length > 0)
    const { call } = caller.hello!
    const session = first.reception.session(call)!
    front.lead(second.reception.port)
    front.cut()
    await caller.until(() => caller.over || caller.hello?.generation === 2)
    expect(caller.over).toBe(false)
    expect(second.reception.size).toBe(0)
    const listed = await fetch(`${second.url}/api/sessions`, { headers: { connection: 'close' } })
    expect(await listed.json()).toMatchObject({ sessions: [{ id: call, state: 'live' }] })
    const closing = await fetch(`${second.url}/api/sessions/${call}/close`, {
      method: 'POST',
      headers: { connection: 'close' },
    })
    expect(closing.status).toBe(202)
    await session.closed
    expect(first.reports).toMatchObject([{ id: call, by: 'studio' }])
  })

  it('[HO38] a process that has lost a call lets go of it, and does not hang up at the carrier', async () => {
    await using host = await TestHost.open()
    const authToken = 'a token of the account'
    const publicUrl = 'https://phone.example.com'
    await using carrier = await TwilioCarrier.listen({ authToken, publicUrl })
    const first = await host.start({ phone: { authToken, publicUrl, api: carrier.url } })
    const call = carrier.call(`${first.url}/phone/answer`)
    await call.until(() => call.heardBytes > 0 || call.over)
    const session = first.reception.session(call.sid)!
    await host.journal.orphan('h1', 'w1')
    session.say('Are you there?')
    const report = await session.closed
    expect(report).toMatchObject({ reason: 'host-lost', by: 'journal' })
    expect(call.endedBy ?? '').not.toMatch(/application/)
    call.hangUp()
    await call.gone()
  })
})

describe('a reception that drains', () => {
  it('[HO3] is not ready, takes no new calls, lets those under way finish, and then says goodbye', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const { reception, url, reports } = await host.start({ goodbye: 'We close now.' })
    await using carrier = await TwilioCarrier.listen()
    const call = carrier.call(`${url}/phone/answer`, unsigned)
    await call.until(() => call.heardBytes > 0 || call.over)
    const session = reception.session(call.sid)!
    const drained = reception.drain(50)
    const get = (path: string): Promise<Response> =>
      fetch(`${url}${path}`, { headers: { connection: 'close' } })
    expect((await get('/readyz')).status).toBe(503)
    expect((await get('/healthz')).status).toBe(200)
    const late = carrier.call(`${url}/phone/answer`, unsigned)
    const newcomer = pages.dial(reception.port)
    await newcomer.until(() => newcomer.over)
    expect(newcomer.ends).toMatchObject([{ code: 'CLOSING' }])
    await drained
    const report = await session.closed
    expect(report).toMatchObject({ reason: 'host-draining', clean: true })
    expect(spokenIn(report.transcript).at(-1)).toBe('We close now.')
    expect(reports).toHaveLength(1)
    // The carrier was sent away to ask again, and got no busy signal.
    expect(late.over).toBe(false)
    late.hangUp()
    await late.gone()
  })
})

describe('a stream that reaches a process that drains', () => {
  it('[HO3] is refused, and its call begins in another process', async () => {
    await using host = await TestHost.open()
    const first = await host.start()
    const second = await host.start()
    await using front = await TcpProxy.listen(first.reception.port)
    await using carrier = await TwilioCarrier.listen()
    const call = carrier.call(`http://127.0.0.1:${front.port}/phone/answer`, {
      ...unsigned,
      onEvent: ({ type }) => {
        // The webhook was answered, and the stream goes to the same process.
        if (type === 'answered') first.reception.entrance.drain()
        if (type === 'stream-ended') front.lead(second.reception.port)
      },
    })
    await call.until(() => call.heardBytes > 0 || call.over)
    expect(call.over).toBe(false)
    expect(first.reception.session(call.sid)).toBeUndefined()
    call.hangUp()
    await call.gone()
    await second.reception.session(call.sid)?.closed
  })

  it('[HO3] is not connected for ever if no process takes it', async () => {
    await using host = await TestHost.open()
    const { url } = await host.start({ maxCalls: 1, hasRoom: () => false })
    const ask = async (path: string): Promise<string> => {
      const body = new URLSearchParams({ CallSid: `CA${'1'.repeat(32)}`, CallStatus: 'in-progress' })
      const response = await fetch(`${url}/phone/${path}`, {
        method: 'POST',
        body,
        headers: { connection: 'close' },
      })
      return await response.text()
    }
    expect(await ask('again')).toContain('/phone/answer?attempt=2</Redirect>')
    expect(await ask('again?attempt=4')).toContain('/phone/answer?attempt=5</Redirect>')
    for (const attempt of ['5', '6', 'x', '-1'])
      expect(await ask(`again?attempt=${attempt}`)).toContain('<Hangup/>')
  })
})

it('[HO39] the list, the search and the permalinks of the page survive the process', async () => {
  await using host = await TestHost.open()
  await using pages = new Pages()
  const first = await host.start()
  const caller = pages.dial(first.reception.port)
  await caller.until(() => caller.heard.length > 0)
  const { call } = caller.hello!
  const session = first.reception.session(call)!
  await new Promise<void>((resolve) => session.on('spoken', () => resolve()))
  caller.wire.hangUp()
  await session.closed
  await first.end()
  const { url } = await host.start()
  const get = async (path: string): Promise<unknown> =>
    await (await fetch(`${url}${path}`, { headers: { connection: 'close' } })).json()
  const summary = { id: call, state: 'closed', from: 'browser', reason: 'caller-hung-up', clean: true }
  expect(await get('/api/sessions')).toMatchObject({ sessions: [summary] })
  expect(await get('/api/sessions?q=good+morning')).toMatchObject({ sessions: [summary] })
  expect(await get('/api/sessions?q=good+evening')).toEqual({ sessions: [] })
  expect(await get(`/api/sessions/${call}`)).toMatchObject({ summary, report: { id: call } })
})
