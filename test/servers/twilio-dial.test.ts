import { describe, expect, it } from 'vitest'
import { level, sine } from '../../src/audio/index.ts'
import { inVirtualTime, type World } from '../../src/testing/index.ts'
import type { TwilioPersonOptions } from '../../src/testing/servers/index.ts'
import { Application, CONNECT, STREAM, WEBHOOK } from './twilio-application.ts'

const ACTION = 'https://example.com/after'
const STATUS = 'https://example.com/status'
const NUMBER = '+4930123'
const ALL = 'initiated ringing answered completed'
const TONE = sine(440, { sampleRate: 8000, duration: 400 })

const dial = (inner = `<Number>${NUMBER}</Number>`, attributes = `action="${ACTION}"`) =>
  `<Response><Dial ${attributes}>${inner}</Dial></Response>`

/** A caller whom the application connects with a person. */
function handOver(world: World, options: TwilioPersonOptions = {}, document = dial()) {
  const application = new Application(world)
  application.twiml = ({ url }) => (url === WEBHOOK ? document : '<Response><Hangup/></Response>')
  const person = application.carrier.person(NUMBER, options)
  const caller = application.call({ from: '+1', to: '+2' })
  return { application, person, caller }
}

const after = (application: Application) => application.forms(ACTION)

describe('a <Dial>', () => {
  it('rings a person, and connects the sound of both', () =>
    inVirtualTime(async (world) => {
      const { application, person, caller } = handOver(world)
      await world.clock.elapse(500)
      const [callee] = person.calls
      expect([callee!.state, callee!.from, callee!.to]).toEqual(['ringing', '+1', NUMBER])
      await world.clock.elapse(1_000)
      expect(callee!.state).toBe('in-progress')
      await caller.says(TONE)
      await callee!.listens(100)
      expect(level(callee!.heard.samples.subarray(-8 * 300, -8 * 200))).toBeGreaterThan(-12)
      expect(caller.heardBytes).toBe(0)
      await callee!.says(TONE)
      await caller.listens(100)
      expect([caller.heardBytes, callee!.heardBytes]).toEqual([3_200, 3_200])
      callee!.press('5')
      expect(caller.events.at(-1)).toMatchObject({ type: 'hears-keys', digits: '5' })
      expect(callee!.events.some(({ type }) => type === 'hears-keys')).toBe(false)
      await world.clock.elapse(2_000)
      callee!.hangUp()
      await caller.gone()
      expect(after(application)).toMatchObject([
        {
          CallSid: caller.sid,
          CallStatus: 'in-progress',
          DialCallStatus: 'completed',
          DialCallSid: callee!.sid,
          DialBridged: 'true',
          DialCallDuration: '3',
        },
      ])
      expect([callee!.endedBy, caller.endedBy]).toEqual(['person', 'application'])
      expect(application.carrier.live).toEqual([])
    }))

  it.each([
    ['busy', 'busy', '486'],
    ['no-answer', 'no-answer', '480'],
    ['rejects', 'busy', '603'],
    ['fails', 'failed', '503'],
  ] as const)('comes back from a person who %s with the status %s', (outcome, status, sip) =>
    inVirtualTime(async (world) => {
      const inner = `<Number statusCallback="${STATUS}" statusCallbackEvent="${ALL}">${NUMBER}</Number>`
      const document = dial(inner)
      const { application, person, caller } = handOver(world, { outcome }, document)
      application.twiml = ({ url }) => (url === WEBHOOK ? document : CONNECT)
      await caller.until(() => caller.events.some(({ type }) => type === 'started'))
      expect(after(application)).toMatchObject([
        { DialCallStatus: status, DialCallSid: person.calls[0]!.sid, DialBridged: 'false' },
      ])
      expect(after(application)[0]).not.toHaveProperty('DialCallDuration')
      expect(application.forms(STATUS).at(-1)).toMatchObject({
        CallSid: person.calls[0]!.sid,
        ParentCallSid: caller.sid,
        CallStatus: status,
        CallDuration: '0',
        SipResponseCode: sip,
      })
      expect(caller.state).toBe('in-progress')
      application.carrier.abort()
    }),
  )

  it('gives up after its timeout, and fails for a number that nobody has', () =>
    inVirtualTime(async (world) => {
      const attributes = `action="${ACTION}" timeout="5"`
      const never = handOver(world, { outcome: 'never' }, dial(`<Number>${NUMBER}</Number>`, attributes))
      await never.caller.gone()
      expect(after(never.application)).toMatchObject([{ DialCallStatus: 'no-answer' }])
      expect(never.person.calls[0]!.events.at(-1)!.at).toBe(5_100)
      const unknown = handOver(world, {}, dial('+999'))
      await unknown.caller.gone()
      expect(after(unknown.application)).toMatchObject([{ DialCallStatus: 'failed' }])
    }))

  it('sends the status callbacks of the number, numbered and in order', () =>
    inVirtualTime(async (world) => {
      const inner = `<Number statusCallback="/status" statusCallbackEvent="${ALL}">${NUMBER}</Number>`
      const { application, person, caller } = handOver(world, {}, dial(inner, 'callerId="+42"'))
      await caller.until(() => caller.events.some(({ type }) => type === 'bridged'))
      await world.clock.elapse(3_000)
      caller.hangUp()
      await application.carrier.until(
        () => application.carrier.open === 0 && application.carrier.live.length === 0,
      )
      const forms = application.forms(STATUS)
      expect(forms.map(({ CallStatus }) => CallStatus)).toEqual([
        'initiated',
        'ringing',
        'in-progress',
        'completed',
      ])
      expect(forms.map(({ SequenceNumber }) => SequenceNumber)).toEqual(['0', '1', '2', '3'])
      expect(forms[3]).toMatchObject({
        CallSid: person.calls[0]!.sid,
        ParentCallSid: caller.sid,
        Direction: 'outbound-dial',
        From: '+42',
        To: NUMBER,
        CallDuration: '3',
        CallbackSource: 'call-progress-events',
        Timestamp: expect.stringContaining('+0000'),
      })
    }))

  it.each([
    ['while it rings', 500, 'canceled'],
    ['while they talk', 3_000, 'completed'],
  ])('ends the other call if the caller hangs up %s', (_, ms, state) =>
    inVirtualTime(async (world) => {
      const { application, person, caller } = handOver(world)
      await world.clock.elapse(ms)
      caller.hangUp()
      await world.clock.elapse(50)
      expect([person.calls[0]!.state, person.calls[0]!.endedBy]).toEqual([state, 'other-leg'])
      expect(after(application)).toMatchObject([{ CallStatus: 'completed', DialCallStatus: state }])
      expect(application.carrier.live).toEqual([])
    }),
  )

  it('continues with the next verb if it has no action', () =>
    inVirtualTime(async (world) => {
      const document = `<Response><Dial>${NUMBER}</Dial><Connect><Stream url="${STREAM}"/></Connect></Response>`
      const { application, person, caller } = handOver(world, {}, document)
      await caller.until(() => caller.events.some(({ type }) => type === 'bridged'))
      person.calls[0]!.hangUp()
      await world.clock.elapse(50)
      expect(application.received('start')).toHaveLength(1)
      caller.abort()
    }))

  it('ends when the caller is redirected, without its action, and the person is hung up', () =>
    inVirtualTime(async (world) => {
      const { application, person, caller } = handOver(world)
      await caller.until(() => caller.events.some(({ type }) => type === 'bridged'))
      await application.rest(`Calls/${caller.sid}.json`, { Twiml: CONNECT })
      await world.clock.elapse(50)
      expect([person.calls[0]!.endedBy, caller.state]).toEqual(['other-leg', 'in-progress'])
      expect([after(application), application.received('start').length]).toEqual([[], 1])
      caller.abort()
    }))

  it('ends when the person is redirected, who then lives on', () =>
    inVirtualTime(async (world) => {
      const { application, person, caller } = handOver(world)
      await caller.until(() => caller.events.some(({ type }) => type === 'bridged'))
      await application.rest(`Calls/${person.calls[0]!.sid}.json`, { Twiml: CONNECT })
      await caller.gone()
      expect(after(application)).toMatchObject([{ DialCallStatus: 'completed' }])
      expect(application.received('start')).toMatchObject([{ start: { callSid: person.calls[0]!.sid } }])
      expect(person.calls[0]!.over).toBe(false)
      person.calls[0]!.abort()
    }))

  it('connects with the first number that answers, and cancels the others', () =>
    inVirtualTime(async (world) => {
      const inner = `<Number>+7</Number><Number>${NUMBER}</Number><Number>+8</Number>`
      const { application, person, caller } = handOver(world, { answersAfter: 500 }, dial(inner))
      const others = ['+7', '+8'].map((number) => application.carrier.person(number))
      await world.clock.elapse(3_000)
      expect(others.map(({ calls }) => calls[0]!.state)).toEqual(['canceled', 'canceled'])
      expect(person.calls[0]!.state).toBe('in-progress')
      caller.abort()
    }))

  it('executes the document of the number for the person alone, who is then connected', () =>
    inVirtualTime(async (world) => {
      const document = dial(`<Number url="/whisper">${NUMBER}</Number>`)
      const { application, person, caller } = handOver(world, {}, document)
      let whisper = '<Response><Pause length="2"/></Response>'
      application.twiml = ({ url }) =>
        url === WEBHOOK ? document : url.endsWith('/whisper') ? whisper : '<Response/>'
      await world.clock.elapse(2_500)
      expect(application.forms('https://example.com/whisper')).toMatchObject([
        { CallSid: person.calls[0]!.sid, ParentCallSid: caller.sid, CallStatus: 'in-progress' },
      ])
      expect(caller.events.some(({ type }) => type === 'bridged')).toBe(false)
      await world.clock.elapse(1_000)
      expect(caller.events.some(({ type }) => type === 'bridged')).toBe(true)
      caller.abort()
      whisper = '<Response><Hangup/></Response>'
      const declined = application.call()
      await declined.gone()
      expect(after(application).at(-1)).toMatchObject({ DialCallStatus: 'completed', DialBridged: 'false' })
    }))

  it('comes back if the person is redirected before they are connected', () =>
    inVirtualTime(async (world) => {
      const document = dial(`<Number url="/whisper">${NUMBER}</Number>`)
      const { application, person, caller } = handOver(world, {}, document)
      application.twiml = ({ url }) =>
        url === WEBHOOK
          ? document
          : url.endsWith('/whisper')
            ? '<Response><Pause length="9"/></Response>'
            : CONNECT
      await world.clock.elapse(2_000)
      await application.rest(`Calls/${person.calls[0]!.sid}.json`, { Twiml: CONNECT })
      await world.clock.elapse(50)
      expect(after(application)).toMatchObject([{ DialCallStatus: 'completed', DialBridged: 'false' }])
      expect([caller.state, person.calls[0]!.state]).toEqual(['in-progress', 'in-progress'])
      expect(application.received('start')).toHaveLength(2)
      application.carrier.abort()
    }))

  it('comes back from a person who hangs up in the instant of the answer', () =>
    inVirtualTime(async (world) => {
      const { application, caller } = handOver(world, {
        onCall: (call) => {
          call
            .until(() => call.state === 'in-progress')
            .then(() => call.hangUp())
            .catch(() => {})
        },
      })
      await caller.gone()
      expect(after(application)).toMatchObject([{ DialCallStatus: 'completed', DialCallDuration: '0' }])
    }))

  it('rings on if the application cancels it instead of completing it', () =>
    inVirtualTime(async (world) => {
      const { application, person, caller } = handOver(world, { outcome: 'never' })
      await world.clock.elapse(500)
      const path = `Calls/${person.calls[0]!.sid}.json`
      await application.rest(path, { Status: 'canceled' })
      expect(person.calls[0]!.state).toBe('ringing')
      await application.rest(path, { Status: 'completed' })
      await caller.gone()
      expect(after(application)).toMatchObject([{ DialCallStatus: 'canceled' }])
    }))

  it('lets a test answer or decline by hand', () =>
    inVirtualTime(async (world) => {
      const { person, caller } = handOver(world, {
        outcome: 'never',
        onCall: (call) => (person.calls.length === 1 ? call.hangUp() : call.answers()),
      })
      await caller.gone()
      expect(person.calls[0]!.state).toBe('busy')
      for (const outcome of ['never', 'rejects'] as const) {
        const { carrier } = handOver(world, { outcome, onCall: (call) => call.answers() }).application
        await world.clock.elapse(200)
        expect(carrier.calls.map(({ state }) => state)).toEqual(['in-progress', 'in-progress'])
        await world.clock.elapse(60_000)
        expect(carrier.live).toHaveLength(2)
        carrier.abort()
      }
    }))
})
