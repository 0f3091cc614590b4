import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { limits } from '../../../src/host/supervisor/limits.ts'
import { offer } from '../../../src/lines/websocket/protocol.ts'
import { wsNetwork } from '../../../src/link/index.ts'
import { ScriptedLlm, ScriptedTts, callTool } from '../../../src/testing/index.ts'
import { TwilioCarrier } from '../../../src/testing/servers/index.ts'
import { TcpProxy } from '../../lines/tcp-proxy.ts'
import { Corridor } from './corridor.ts'
import { Pages } from './pages.ts'
import { TestHost } from './process.ts'

const ringing: RequestInit = {
  method: 'POST',
  body: new URLSearchParams({ CallSid: `CA${'1'.repeat(32)}`, CallStatus: 'ringing' }).toString(),
  headers: { connection: 'close', 'content-type': 'application/x-www-form-urlencoded' },
}
const unsigned = { signs: 'never', signsStream: 'never' } as const

describe('a process that drains', () => {
  it('[RL1] passes on a call whose connection it took before, instead of closing it', async () => {
    await using host = await TestHost.open()
    const neighbours = new Corridor()
    const first = await host.start({ neighbours })
    neighbours.to = await host.start()
    const page = connect(first.reception.port, '127.0.0.1')
    await once(page, 'connect')
    // Connections are taken in their order.
    await fetch(`${first.url}/healthz`, { headers: { connection: 'close' } })
    const closed = first.reception.drain(0).then(() => first.reception.close())
    page.write(
      `GET /call HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: ${offer({}).join()}\r\n\r\n`,
    )
    expect(String(await once(page, 'data'))).toMatch(/^HTTP\/1\.1 101 /)
    expect(neighbours.passed).toEqual([0])
    page.destroy()
    await closed
  })
})

describe('a process without room', () => {
  it('[HO40] passes a page on to a process that has room, and it is answered there', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const neighbours = new Corridor()
    const first = await host.start({ maxCalls: 1, neighbours })
    const second = await host.start()
    neighbours.to = second
    const one = pages.dial(first.reception.port)
    await one.until(() => one.heard.length > 0)
    expect(neighbours.passed).toEqual([])
    const other = pages.dial(first.reception.port)
    await other.until(() => other.heard.length > 0 || other.over)
    expect([first.reception.size, second.reception.size]).toEqual([1, 1])
    expect(second.reception.session(other.hello!.call)).toBeDefined()
    const session = second.reception.session(other.hello!.call)!
    other.wire.hangUp()
    expect(await session.closed).toMatchObject({ reason: 'caller-hung-up', clean: true })
  })

  it('[HO40] counts streams that have not said yet which call they belong to', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const neighbours = new Corridor()
    let arrived = (): void => {}
    const arrival = new Promise<void>((resolve) => (arrived = resolve))
    const first = await host.start({ maxCalls: 1, neighbours, changed: () => arrived() })
    const second = await host.start()
    neighbours.to = second
    const answer = await fetch(`${first.url}/phone/answer`, ringing)
    const [, address = ''] = /<Stream url="([^"]+)"/.exec(await answer.text()) ?? []
    let gone = (): void => {}
    const ended = new Promise<void>((resolve) => (gone = resolve))
    const stream = wsNetwork.dial(
      { name: 'stream', url: address, headers: {} },
      { opened: () => {}, message: () => {}, ended: gone },
    )
    await arrival
    expect(first.reception.entrance.occupied).toBe(1)
    const page = pages.dial(first.reception.port)
    await page.until(() => page.heard.length > 0 || page.over)
    expect([first.reception.size, second.reception.size]).toEqual([0, 1])
    stream.abort()
    await ended
  })

  it('[HO40] has its phone calls answered by a process that has room', async () => {
    await using host = await TestHost.open()
    const neighbours = new Corridor()
    const counts: number[] = []
    const changed = (): void => void counts.push(first.reception.entrance.occupied)
    const first = await host.start({ maxCalls: 1, neighbours, changed })
    const second = await host.start()
    neighbours.to = second
    await using carrier = await TwilioCarrier.listen()
    const calls = [1, 2].map(() => carrier.call(`${first.url}/phone/answer`, unsigned))
    for (const call of calls) await call.until(() => call.heardBytes > 0 || call.over)
    expect(calls.map(({ over }) => over)).toEqual([false, false])
    expect([first.reception.size, second.reception.size]).toEqual([1, 1])
    const third = carrier.call(`${first.url}/phone/answer`, unsigned)
    await third.until(() => third.heardBytes > 0 || third.over)
    expect(neighbours.asked).toBeGreaterThan(0)
    expect([first.reception.size, second.reception.size]).toEqual([1, 2])
    // A place that is free for a moment would end an isolated worker.
    expect(new Set(counts)).toEqual(new Set([1]))
    for (const call of [...calls, third]) call.hangUp()
    for (const call of [...calls, third]) await call.gone()
  })

  it('[HO40] [HO6] refuses as busy if no process has room, or nothing can be passed on', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const neighbours = new Corridor()
    const { reception, url } = await host.start({ maxCalls: 1, hasRoom: () => false, neighbours })
    const page = pages.dial(reception.port)
    await page.until(() => page.over)
    expect(page.ends).toMatchObject([{ code: 'BUSY' }])
    const answer = await fetch(`${url}/phone/answer`, ringing)
    expect(await answer.text()).toContain('<Reject reason="busy"/>')
    expect([neighbours.passed, neighbours.asked]).toEqual([[0], 1])
  })

  it('[HO40] answers itself what was passed on too often', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const neighbours = new Corridor()
    const full = await host.start({ maxCalls: 1, hasRoom: () => false, neighbours })
    neighbours.to = full
    const page = pages.dial(full.reception.port)
    await page.until(() => page.over)
    expect(page.ends).toMatchObject([{ code: 'BUSY' }])
    expect(neighbours.passed).toEqual(Array.from({ length: limits.hops }, (_, hops) => hops))
  })

  it('[HO40] passes on new calls while it drains, but not a page that comes back to its call', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const neighbours = new Corridor()
    const first = await host.start({ neighbours })
    const second = await host.start()
    neighbours.to = second
    await using front = await TcpProxy.listen(first.reception.port)
    const caller = pages.dial(front.port)
    await caller.until(() => caller.heard.length > 0)
    first.reception.entrance.drain()
    front.cut()
    await caller.until(() => caller.over || caller.hello?.generation === 2)
    expect([caller.over, neighbours.passed]).toEqual([false, []])
    const newcomer = pages.dial(first.reception.port)
    await newcomer.until(() => newcomer.heard.length > 0 || newcomer.over)
    expect(second.reception.session(newcomer.hello!.call)).toBeDefined()
  })

  it('[HO40] [HO36] passes on a page that comes back to a call whose process is gone', async () => {
    await using host = await TestHost.open()
    await using pages = new Pages()
    const neighbours = new Corridor()
    const first = await host.start()
    const full = await host.start({ maxCalls: 1, hasRoom: () => false, neighbours })
    const third = await host.start()
    neighbours.to = third
    await using front = await TcpProxy.listen(first.reception.port)
    const caller = pages.dial(front.port)
    await caller.until(() => caller.heard.length > 0)
    const { call } = caller.hello!
    front.lead(full.reception.port)
    await first.die(host)
    front.cut()
    await caller.until(() => caller.over || third.reception.session(call) !== undefined)
    expect(caller.over).toBe(false)
    expect(full.reception.session(call)).toBeUndefined()
  })
})

describe('a webhook about a call', () => {
  it('[LN14] reaches the process that has the call, whichever process it arrives at', async () => {
    await using host = await TestHost.open()
    await using carrier = new TwilioCarrier()
    const first = await host.start()
    const second = await host.start()
    const caller = carrier.call(`${first.url}/phone/answer`, unsigned)
    await caller.until(() => caller.heardBytes > 0)
    const session = first.reception.session(caller.sid)!
    const status = { CallSid: caller.sid, CallStatus: 'completed' }
    const body = new URLSearchParams(status).toString()
    const url = `${second.url}/phone/status`
    expect((await fetch(url, { ...ringing, body })).status).toBe(200)
    expect(await session.closed).toMatchObject({ reason: 'caller-hung-up' })
  })

  it.each([
    ['answers', 'answered', 'transferred'],
    ['busy', 'busy', 'caller-hung-up'],
  ] as const)(
    '[LN14] [TR1] tells it how a transfer went: the person %s',
    async (outcome, expected, reason) => {
      await using host = await TestHost.open()
      await using carrier = await TwilioCarrier.listen()
      const { authToken, accountSid, url: api } = carrier
      const phone = { authToken, accountSid, api }
      const desk = carrier.person('+4930123456', { outcome, answersAfter: 50 })
      const first = await host.start({ phone })
      const second = await host.start({ phone })
      await using front = await TcpProxy.listen(first.reception.port)
      const caller = carrier.call(`http://127.0.0.1:${front.port}/phone/answer`)
      await caller.until(() => caller.heardBytes > 0)
      const session = first.reception.session(caller.sid)!
      front.lead(second.reception.port)
      expect(await session.transfer({ to: desk.number, ringTimeout: 5_000 })).toBe(expected)
      if (outcome === 'busy') {
        session.say('Nobody is there.')
        const heard = caller.heardBytes
        await caller.until(() => caller.heardBytes > heard)
        caller.hangUp()
      }
      expect(await session.closed).toMatchObject({ reason, transfers: [{ outcome: expected }] })
      expect(second.reception.session(caller.sid)).toBeUndefined()
      for (const call of carrier.live) call.hangUp()
      await carrier.until(() => carrier.live.length === 0)
    },
  )

  it('[LN14] [KY9] tells it that the carrier has pressed keys, and the stream comes back to it', async () => {
    await using host = await TestHost.open()
    await using carrier = await TwilioCarrier.listen()
    const { authToken, accountSid, url: api } = carrier
    const phone = { authToken, accountSid, api, keys: 'carrier' } as const
    const first = await host.start({ phone })
    const second = await host.start({ phone })
    await using front = await TcpProxy.listen(first.reception.port)
    const caller = carrier.call(`http://127.0.0.1:${front.port}/phone/answer`)
    await caller.until(() => caller.heardBytes > 0)
    const session = first.reception.session(caller.sid)!
    front.lead(second.reception.port)
    expect(await session.press('1')).toMatchObject({ how: 'played', keys: '1' })
    const heard = caller.heardBytes
    session.say('Done.')
    await caller.until(() => caller.heardBytes > heard)
    caller.hangUp()
    expect(await session.closed).toMatchObject({ reason: 'caller-hung-up', clean: true })
    expect(second.reception.size).toBe(0)
  })

  it('[HO36] [KY9] about keys of a process that is gone has the call go on in another one', async () => {
    await using host = await TestHost.open()
    await using carrier = await TwilioCarrier.listen()
    const { authToken, accountSid, url: api } = carrier
    const phone = { authToken, accountSid, api, keys: 'carrier' } as const
    const first = await host.start({ phone })
    const second = await host.start({ phone })
    await using front = await TcpProxy.listen(first.reception.port)
    const caller = carrier.call(`http://127.0.0.1:${front.port}/phone/answer`)
    await caller.until(() => caller.heardBytes > 0)
    first.reception
      .session(caller.sid)!
      .press('1ww2')
      .catch(() => {})
    await caller.until(() => caller.events.some(({ type }) => type === 'redirected'))
    front.lead(second.reception.port)
    await first.die(host)
    const heard = caller.heardBytes
    await caller.until(() => caller.heardBytes > heard || caller.over)
    const session = second.reception.session(caller.sid)!
    expect(session.state).toBe('live')
    expect(await session.press('3')).toMatchObject({ how: 'played', keys: '3' })
    caller.hangUp()
    await session.closed
  })

  it('[LN14] [TR5] about the person of a warm transfer reaches the process of the caller, and so does the stream', async () => {
    await using host = await TestHost.open()
    await using carrier = await TwilioCarrier.listen()
    const { authToken, accountSid, url: api } = carrier
    const desk = carrier.person('+4930123456', { answersAfter: 50 })
    const answers = [['A caller for you. ', callTool('accept_call')]]
    const models = () => ({ llm: new ScriptedLlm({ answers }), tts: new ScriptedTts() })
    await using front = await TcpProxy.listen(0)
    const publicUrl = `http://127.0.0.1:${front.port}`
    const phone = { authToken, accountSid, api, publicUrl }
    const first = await host.start({ phone, models })
    const second = await host.start({ phone, models })
    front.lead(first.reception.port)
    const caller = carrier.call(`${publicUrl}/phone/answer`)
    await caller.until(() => caller.heardBytes > 0)
    const session = first.reception.session(caller.sid)!
    front.lead(second.reception.port)
    expect(await session.transfer({ to: desk.number, how: 'warm' })).toBe('answered')
    expect(await session.closed).toMatchObject({
      reason: 'transferred',
      transfers: [{ outcome: 'answered', consultation: { reason: 'transferred', clean: true } }],
    })
    // Nobody else has talked to the person.
    expect([...first.reports, ...second.reports].map(({ id }) => id)).not.toContain(desk.calls[0]!.sid)
    expect(second.reception.size).toBe(0)
    for (const call of carrier.live) call.hangUp()
    await carrier.until(() => carrier.live.length === 0)
  })
})
