import { describe, expect, it } from 'vitest'
import { sine } from '../../src/audio/index.ts'
import { inVirtualTime } from '../../src/testing/index.ts'
import { CONNECT } from './twilio-application.ts'
import { DIALLED, dialling, NUMBER, STATUS, toDial } from './twilio-dialling.ts'

const ALL = ['initiated', 'ringing', 'answered', 'completed']

describe('a call that is made over REST', () => {
  it('rings a person, requests the document when they answer, and reports each status', () =>
    inVirtualTime(async (world) => {
      const { application, callee, statuses } = dialling(world)
      const answer = await application.rest('Calls.json', { ...toDial, StatusCallbackEvent: ALL })
      expect(answer).toMatchObject({
        http: 201,
        status: 'queued',
        direction: 'outbound-api',
        from: '+1',
        to: NUMBER,
      })
      await world.clock.elapse(500)
      expect([statuses(), application.forms(DIALLED)]).toEqual([['initiated', 'ringing'], []])
      await world.clock.elapse(1_000)
      const [call] = callee.calls
      expect([call!.sid, call!.state]).toEqual([answer['sid'], 'in-progress'])
      expect(application.forms(DIALLED)).toMatchObject([
        { CallSid: call!.sid, CallStatus: 'in-progress', Direction: 'outbound-api', From: '+1', To: NUMBER },
      ])
      application.sound(200)
      await call!.listens(100)
      await call!.says(sine(440, { sampleRate: 8000, duration: 100 }))
      call!.hangUp()
      await call!.gone()
      expect(statuses()).toEqual(['initiated', 'ringing', 'in-progress', 'completed'])
      const forms = application.forms(STATUS)
      expect(forms.map(({ SequenceNumber }) => SequenceNumber)).toEqual(['0', '1', '2', '3'])
      expect(forms.at(-1)).toMatchObject({ CallSid: call!.sid, CallDuration: '1' })
      expect(application.carrier.live).toEqual([])
    }))

  it('reports the end alone if no events are asked for, and takes each event as a field of its own', () =>
    inVirtualTime(async (world) => {
      const { application, callee, statuses } = dialling(world)
      await application.rest('Calls.json', toDial)
      await application.rest('Calls.json', { ...toDial, StatusCallbackEvent: 'ringing answered' })
      await world.clock.elapse(2_000)
      for (const call of callee.calls) call.hangUp()
      await world.clock.elapse(100)
      expect(statuses()).toEqual(['completed'])
    }))

  it.each([
    ['busy', 'busy', '486'],
    ['no-answer', 'no-answer', '480'],
    ['rejects', 'busy', '603'],
    ['fails', 'failed', '503'],
    ['never', 'no-answer', '487'],
  ] as const)('to a person who %s ends with %s', (outcome, status, sip) =>
    inVirtualTime(async (world) => {
      const { application, callee } = dialling(world, { outcome })
      await application.rest('Calls.json', { ...toDial, Timeout: '5' })
      await application.carrier.until(() => application.carrier.live.length === 0)
      expect(callee.calls[0]!.events.at(-1)!.at).toBeLessThanOrEqual(5_100)
      expect(application.forms(STATUS)).toMatchObject([
        { CallStatus: status, SipResponseCode: sip, CallDuration: '0' },
      ])
      expect(application.forms(DIALLED)).toEqual([])
    }),
  )

  it.each([
    [{ To: '030' }, 21_211],
    [{ To: '' }, 21_201],
    [{ From: '' }, 21_213],
    [{ From: '+666' }, 21_210],
    [{ Timeout: '601' }, 21_208],
    [{ Url: '', Twiml: '<Response>' }, 12_100],
  ])('is refused with %j', (fields, code) =>
    inVirtualTime(async (world) => {
      const { application } = dialling(world, {}, { numbers: ['+1'] })
      const { Url, ...rest } = { ...toDial, ...fields }
      const form = Url === '' ? rest : { ...rest, Url }
      expect(await application.rest('Calls.json', form)).toMatchObject({ http: 400, code })
      expect(application.carrier.calls).toEqual([])
    }),
  )

  it('fails for a number that nobody has, and executes Twiml without a request', () =>
    inVirtualTime(async (world) => {
      const { application, callee } = dialling(world)
      await application.rest('Calls.json', { ...toDial, To: '+999' })
      await world.clock.elapse(200)
      expect(application.forms(STATUS)).toMatchObject([{ CallStatus: 'failed', SipResponseCode: '404' }])
      await application.rest('Calls.json', { To: NUMBER, From: '+1', Twiml: CONNECT })
      await world.clock.elapse(1_200)
      expect(application.received('start')).toMatchObject([{ start: { callSid: callee.calls[0]!.sid } }])
      expect(application.forms(DIALLED)).toEqual([])
      application.carrier.abort()
    }))

  it.each([
    ['while it is queued', 0, 'completed', 'canceled'],
    ['while it rings', 500, 'completed', 'canceled'],
    ['while it rings', 500, 'canceled', 'canceled'],
    ['after the answer', 3_000, 'completed', 'completed'],
    ['after the answer', 3_000, 'canceled', 'in-progress'],
  ])('that is ended %s (at %i ms) by Status=%s is %s', (_, ms, status, state) =>
    inVirtualTime(async (world) => {
      const { application, callee, statuses } = dialling(world)
      const { sid } = await application.rest('Calls.json', toDial)
      await world.clock.elapse(ms)
      expect(await application.rest(`Calls/${String(sid)}.json`, { Status: status })).toMatchObject({
        http: 200,
        status: state,
      })
      await world.clock.elapse(3_000)
      expect([callee.calls[0]!.state, statuses()]).toEqual([state, state === 'in-progress' ? [] : [state]])
      application.carrier.abort()
    }),
  )

  it('reports each status before what it makes the person do', () =>
    inVirtualTime(async (world) => {
      const { application, statuses } = dialling(world, {
        onEvent: ({ type }, call) => type === 'ringing' && call.hangUp(),
      })
      await application.rest('Calls.json', { ...toDial, StatusCallbackEvent: ALL })
      await world.clock.elapse(1_500)
      expect(statuses()).toEqual(['initiated', 'ringing', 'busy'])
    }))

  it('completes if there is no document after the answer', () =>
    inVirtualTime(async (world) => {
      const { application, callee } = dialling(world)
      application.twiml = () => 500
      await application.rest('Calls.json', toDial)
      await world.clock.elapse(1_500)
      expect([callee.calls[0]!.state, callee.calls[0]!.endedBy]).toEqual(['completed', 'carrier'])
    }))

  it('cannot be redirected before it is answered', () =>
    inVirtualTime(async (world) => {
      const { application } = dialling(world)
      const { sid } = await application.rest('Calls.json', toDial)
      await world.clock.elapse(500)
      const path = `Calls/${String(sid)}.json`
      expect(await application.rest(path, { Twiml: CONNECT })).toMatchObject({ http: 400, code: 21_220 })
      application.carrier.abort()
    }))

  it('is found by its numbers and its status until it is forgotten', () =>
    inVirtualTime(async (world) => {
      const { application } = dialling(world)
      await application.rest('Calls.json', toDial)
      await application.rest('Calls.json', { ...toDial, From: '+2' })
      await world.clock.elapse(500)
      const found = async (query: string) =>
        ((await application.rest(`Calls.json?${query}`, {}, 'GET'))['calls'] as { from: string }[]).map(
          ({ from }) => from,
        )
      expect(await found(new URLSearchParams({ To: NUMBER, Status: 'ringing' }).toString())).toEqual([
        '+1',
        '+2',
      ])
      expect(await found('From=%2B2')).toEqual(['+2'])
      expect(await found('Status=busy')).toEqual([])
      const [, second] = application.carrier.calls
      second!.abort()
      application.carrier.forget(second!)
      expect([await found('From=%2B2'), application.carrier.calls.length]).toEqual([[], 1])
      application.carrier.abort()
    }))

  it('waits its turn at a carrier with a pace', () =>
    inVirtualTime(async (world) => {
      const { application, callee } = dialling(world, {}, { pace: 1_000 })
      for (let count = 0; count < 3; count++) await application.rest('Calls.json', toDial)
      await world.clock.elapse(1_500)
      expect(callee.calls.map(({ state }) => state)).toEqual(['in-progress', 'ringing', 'queued'])
      callee.calls[2]!.abort()
      application.carrier.abort()
    }))

  it('ends at its time limit, sends keys, and falls back to a second DIALLED', () =>
    inVirtualTime(async (world) => {
      const { application, callee } = dialling(world)
      application.twiml = ({ url }) => (url === DIALLED ? 500 : CONNECT)
      await application.rest('Calls.json', {
        ...toDial,
        TimeLimit: '10',
        SendDigits: 'ww12',
        MachineDetection: 'Enable',
        FallbackUrl: 'https://example.com/fallback',
      })
      await world.clock.elapse(1_500)
      expect(application.forms(DIALLED)).toEqual([])
      await application.carrier.until(() => application.carrier.live.length === 0)
      const { events, endedBy } = callee.calls[0]!
      expect(events.find(({ type }) => type === 'hears-keys')).toMatchObject({ digits: '12', at: 2_500 })
      expect(application.forms('https://example.com/fallback')).toMatchObject([
        { ErrorCode: '11200', ErrorUrl: DIALLED },
      ])
      expect(application.forms(DIALLED)[0]).not.toHaveProperty('AnsweredBy')
      expect([events.findLast(({ type }) => type === 'ended')!.at, endedBy]).toEqual([11_100, 'carrier'])
    }))
})

describe('a call that is made over the REST API of Telnyx', () => {
  it('has an id in the response of a TeXML application, and none below an account', () =>
    inVirtualTime(async (world) => {
      const { application, callee, statuses } = dialling(world, {}, { dialect: 'telnyx' })
      const body = { ...toDial, StatusCallbackEvent: 'initiated ringing answered completed' }
      const { http, call_sid } = await application.telnyx('texml/calls/123', body)
      const { accountSid } = application.carrier
      expect(await application.telnyx(`texml/Accounts/${accountSid}/Calls`, body)).toEqual({
        http: 200,
        from: '+1',
        to: NUMBER,
        status: 'queued',
      })
      expect([http, call_sid]).toEqual([200, callee.calls[0]!.sid])
      callee.calls[1]!.abort()
      await world.clock.elapse(1_500)
      expect(application.received('start')).toMatchObject([{ start: { call_control_id: call_sid } }])
      const path = `calls/${String(call_sid)}/actions/hangup`
      expect(await application.telnyx(path)).toMatchObject({ http: 200, data: { result: 'ok' } })
      expect(await application.telnyx(path)).toMatchObject({ http: 422, errors: [{ code: '90018' }] })
      await world.clock.elapse(50)
      expect(statuses().slice(-4)).toEqual(['initiated', 'ringing', 'in-progress', 'completed'])
      expect(application.forms(STATUS).at(-1)).toMatchObject({
        HangupCause: 'normal_clearing',
        HangupSource: 'caller',
      })
    }))

  it.each([
    ['busy', 'user_busy'],
    ['rejects', 'call_rejected'],
    ['no-answer', 'no_answer'],
    ['never', 'timeout'],
  ] as const)('to a person who %s ends with the cause %s', (outcome, cause) =>
    inVirtualTime(async (world) => {
      const { application } = dialling(world, { outcome }, { dialect: 'telnyx' })
      await application.telnyx('texml/calls/123', toDial)
      await application.carrier.until(() => application.carrier.live.length === 0)
      expect(application.forms(STATUS)).toMatchObject([{ HangupCause: cause }])
    }),
  )

  it('takes the timeout of machine detection in milliseconds', () =>
    inVirtualTime(async (world) => {
      const { application } = dialling(world, {}, { dialect: 'telnyx' })
      await application.telnyx('texml/calls/123', {
        ...toDial,
        MachineDetection: 'Enable',
        MachineDetectionTimeout: 1_000,
      })
      await world.clock.elapse(2_200)
      expect(application.forms(DIALLED)).toMatchObject([
        { AnsweredBy: 'unknown', MachineDetectionDuration: '1000' },
      ])
      application.carrier.abort()
    }))
})
