import { describe, expect, it } from 'vitest'
import type { DialOptions } from '../../src/lines/twilio/index.ts'
import type { SessionHandle } from '../../src/session/index.ts'
import type { TwilioPersonOptions } from '../../src/testing/servers/index.ts'
import { carrierScene, type CarrierScene } from './carrier-scene.ts'

const PERSON = '+4930123456'
const OURS = '+15550100'
const dial: DialOptions = { to: PERSON, from: OURS, machines: 'tell' }
const account = { application: '1293', dialRate: 100 }

type Answered = Awaited<ReturnType<SessionHandle['answeredBy']>>

/** Calls a person or a machine, and asks who answered. */
async function called(
  { carrier, calls, sessions }: CarrierScene,
  person: TwilioPersonOptions,
  options: Partial<DialOptions> = {},
): Promise<{ answered: Promise<Answered>; callee: ReturnType<typeof carrier.person> }> {
  const callee = carrier.person(PERSON, person)
  const report = await calls.dial({ ...dial, ...options }).report
  expect(report.outcome).toBe('answered')
  await new Promise((resolve) => sessions[0]!.on('started', resolve))
  return { answered: sessions[0]!.answeredBy(), callee }
}

describe.each(['twilio', 'telnyx'] as const)('who answered a call out by %s', (dialect) => {
  const scene = { dialect, greeting: '', ...account }

  it('[MD3] is connected at once, and the verdict of the carrier comes later', () =>
    carrierScene(async (world) => {
      const { answered } = await called(world, {})
      const connectedAt = world.clock.now()
      expect(await answered).toMatchObject({ by: 'person', how: 'carrier' })
      expect(world.clock.now() - connectedAt).toBeGreaterThan(1_500)
    }, scene))

  it('[MD3] leaves a message with a machine, to its end', () =>
    carrierScene(async (world) => {
      const { answered, callee } = await called(world, { machine: {} })
      const { sessions, clock, carrier } = world
      expect((await answered).by).toBe('machine')
      const left = await sessions[0]!.leaveMessage('Please call us back.')
      expect(left).toMatchObject({ heard: true, how: 'played', attempts: 1 })
      const report = await sessions[0]!.closed
      expect(report).toMatchObject({
        reason: 'agent-hung-up',
        clean: true,
        answered: { by: 'machine' },
        messages: [{ heard: true }],
      })
      expect(callee.calls[0]!.heardBytes).toBeGreaterThan(1_000)
      await clock.elapse(60_000)
      expect(carrier.live).toEqual([])
    }, scene))

  it('[MD3] hears from the carrier that a fax answered', () =>
    carrierScene(async (world) => {
      const { answered } = await called(world, { detection: { verdict: 'fax', after: 3_000 } })
      expect(await answered).toMatchObject({ by: 'fax', how: 'carrier' })
    }, scene))

  it('[MD3] does without a verdict that never comes, or that says nothing', () =>
    carrierScene(async (world) => {
      const { answered } = await called(world, { detection: { verdict: 'unknown' } })
      expect(await answered).toMatchObject({ by: 'unknown', how: 'silence', took: 10_000 })
    }, scene))

  it('[MD3] takes one verdict, however often it comes', () =>
    carrierScene(async (world) => {
      world.carrier.callbacks = { repeats: 2, jitter: 2_000 }
      const { answered } = await called(world, {})
      const events: unknown[] = []
      world.sessions[0]!.on('answered', (event) => events.push(event))
      await answered
      await world.clock.elapse(20_000)
      expect(events).toHaveLength(1)
    }, scene))

  it('[MD3] ignores a verdict that comes after the end of the call', () =>
    carrierScene(async (world) => {
      const { answered, callee } = await called(world, { detection: { after: 5_000, evenIfOver: true } })
      await world.clock.elapse(1_000)
      callee.calls[0]!.hangUp()
      expect(await answered).toMatchObject({ by: 'unknown', how: 'closed' })
      await world.clock.elapse(30_000)
      expect(world.reports).toMatchObject([{ clean: true, answered: { by: 'unknown', how: 'closed' } }])
      expect(world.calls.size).toBe(0)
    }, scene))

  it('[MD3] does not ask the carrier unless told to, and finds out all the same', () =>
    carrierScene(async (world) => {
      const { answered } = await called(world, { machine: {} }, { machines: 'talk' })
      expect(await answered).toMatchObject({ by: 'machine', how: 'tone' })
    }, scene))

  it('[MD3] knows who answered if the carrier found out before', () =>
    carrierScene(async (world) => {
      const { answered } = await called(world, {}, { machines: 'hang-up' })
      expect(await answered).toMatchObject({ by: 'person', how: 'carrier', took: 0 })
    }, scene))
})

describe('the verdict of a carrier', () => {
  const scene = { ...account, greeting: '' }

  /** What the session is told, while the carrier's own verdict never comes. */
  async function unjudged(world: CarrierScene) {
    const { callee } = await called(world, { detection: { after: 'never' } })
    const events: unknown[] = []
    world.sessions[0]!.on('answered', (event) => events.push(event))
    const request = world.carrier.rest.requests.find(({ body }) => body.includes('AsyncAmd'))
    const url = new URLSearchParams(request!.body).get('AsyncAmdStatusCallback')!
    const fields = { CallSid: callee.calls[0]!.sid, AccountSid: world.carrier.accountSid }
    return { url, fields, events }
  }

  it('[MD3] must be signed', () =>
    carrierScene(async (world) => {
      const { url, fields, events } = await unjudged(world)
      const { pathname, search } = new URL(url)
      const { status } = world.calls.webhook({
        method: 'POST',
        url: pathname + search,
        headers: { host: 'localhost:3000' },
        address: '127.0.0.1',
        body: new URLSearchParams({ ...fields, AnsweredBy: 'fax' }).toString(),
      })
      expect(status).toBe(403)
      await world.clock.elapse(1_000)
      expect(events).toEqual([])
    }, scene))

  it('[MD3] must be about the call of its ticket', () =>
    carrierScene(async (world) => {
      const { url, fields, events } = await unjudged(world)
      const withoutTicket = url.split('?', 1)[0]!
      await world.carrier.notify(withoutTicket, { ...fields, AnsweredBy: 'fax' })
      world.carrier.person('+4930777777', { detection: { after: 'never' } })
      const other = world.calls.dial({ ...dial, to: '+4930777777' })
      expect((await other.report).outcome).toBe('answered')
      // The ticket of one call, for another.
      await world.carrier.notify(url, { ...fields, CallSid: other.id!, AnsweredBy: 'fax' })
      await world.clock.elapse(500)
      expect(events).toEqual([])
      await world.carrier.notify(url, { ...fields, AnsweredBy: 'human' })
      await world.clock.elapse(500)
      expect(events).toEqual([{ by: 'person', how: 'carrier', late: false }])
    }, scene))

  it('[MD3] counts if another process has dialled the call, the first one', () =>
    carrierScene(async (world) => {
      const { carrier, calls, sessions } = world
      const callee = carrier.person(PERSON, { detection: { after: 'never' } })
      await calls.dial(dial).report
      await new Promise((resolve) => sessions[0]!.on('started', resolve))
      const url = 'http://localhost:3000/phone/verdict?dial=of-another-process'
      const fields = { CallSid: callee.calls[0]!.sid }
      await carrier.notify(url, { ...fields, AnsweredBy: 'human' })
      await carrier.notify(url, { ...fields, AnsweredBy: 'fax' })
      expect(await sessions[0]!.answeredBy()).toMatchObject({ by: 'person', how: 'carrier', took: 0 })
    }, scene))

  it('[MD3] may come before the call begins', () =>
    carrierScene(async (world) => {
      const { carrier, calls, clock, sessions } = world
      carrier.person(PERSON, { answersAfter: 5_000, detection: { after: 'never' } })
      const attempt = calls.dial(dial)
      await clock.elapse(2_000)
      const request = carrier.rest.requests.find(({ body }) => body.includes('AsyncAmd'))
      const url = new URLSearchParams(request!.body).get('AsyncAmdStatusCallback')!
      const fields = { CallSid: attempt.id!, AccountSid: carrier.accountSid }
      await carrier.notify(url, { ...fields, AnsweredBy: 'machine_end_beep' })
      await carrier.notify(url, { ...fields, AnsweredBy: 'human' })
      await attempt.report
      await new Promise((resolve) => sessions[0]!.on('started', resolve))
      expect(await sessions[0]!.answeredBy()).toMatchObject({ by: 'machine', how: 'carrier', took: 0 })
    }, scene))
})
