import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../../src/testing/index.ts'
import { Application, STREAM, WEBHOOK } from './twilio-application.ts'

const ACTION = 'https://example.com/after'

describe('<Play digits>', () => {
  it('plays keys to the phone, with pauses, and stops when the call is redirected', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      application.twiml = () =>
        `<Response><Play digits="wW1#"/><Connect><Stream url="${STREAM}"/></Connect></Response>`
      const call = application.call()
      await world.clock.elapse(2_000)
      expect(call.events.find(({ type }) => type === 'hears-keys')).toMatchObject({ digits: '1#', at: 1_900 })
      expect(application.received('start')).toHaveLength(1)
      const path = `Calls/${call.sid}.json`
      await application.rest(path, { Twiml: '<Response><Play digits="5"/></Response>' })
      await application.rest(path, { Twiml: '<Response><Play loop="0">hold.mp3</Play></Response>' })
      await world.clock.elapse(60_000)
      expect(call.events.filter(({ type }) => type === 'hears-keys')).toHaveLength(1)
      expect(call.events.at(-2)).toMatchObject({ type: 'verb', name: 'Play' })
      expect(call.over).toBe(false)
      call.abort()
    }))
})

describe('<Number sendDigits>', () => {
  it('plays keys to the person before they are connected', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      application.twiml = () => '<Response><Dial><Number sendDigits="W12">+7</Number></Dial></Response>'
      const person = application.carrier.person('+7')
      const call = application.call()
      await world.clock.elapse(4_000)
      const types = person.calls[0]!.events.map(({ type }) => type)
      expect(types).toEqual(['initiated', 'ringing', 'answered', 'hears-keys', 'bridged'])
      call.abort()
    }))
})

describe('<Sip> and <Client>', () => {
  it('ring the person with that address', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      application.twiml = () =>
        '<Response><Dial><Sip>sip:bob@example.com?X-A=b</Sip><Client>ann</Client></Dial></Response>'
      const bob = application.carrier.person('sip:bob@example.com')
      const ann = application.carrier.person('client:ann', { outcome: 'never' })
      const call = application.call()
      await world.clock.elapse(2_000)
      expect([bob.calls[0]!.state, ann.calls[0]!.state]).toEqual(['in-progress', 'canceled'])
      call.abort()
    }))
})

describe('<Refer>', () => {
  it.each([
    ['sip:caller@example.com', 'answers', 'completed', '202', '200'],
    ['sip:caller@example.com', 'busy', 'failed', '202', '486'],
    ['+1', 'answers', 'failed', '405', undefined],
  ] as const)('for a call from %s to somebody who %s is %s', (from, outcome, status, refer, notify) =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      application.twiml = ({ url }) =>
        url === WEBHOOK
          ? `<Response><Refer action="${ACTION}"><Sip>sip:bob@example.com</Sip></Refer></Response>`
          : `<Response><Connect><Stream url="${STREAM}"/></Connect></Response>`
      const bob = application.carrier.person('sip:bob@example.com', { outcome })
      const call = application.call({ from })
      await world.clock.elapse(2_000)
      const form = application.forms(ACTION)[0]!
      expect([form['ReferCallStatus'], form['ReferSipResponseCode'], form['NotifySipResponseCode']]).toEqual([
        status,
        refer,
        notify,
      ])
      // The call that the phone makes itself is not one of the carrier's.
      expect([call.endedBy, bob.calls]).toEqual([status === 'completed' ? 'caller' : undefined, []])
      expect(application.received('start')).toHaveLength(status === 'completed' ? 0 : 1)
      call.abort()
    }),
  )
})

describe('<Start><Recording>', () => {
  it('records the call, and reports after its end', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      application.twiml = () =>
        `<Response><Start><Recording recordingStatusCallback="/recorded" channels="dual"/></Start><Pause length="3"/></Response>`
      const call = application.call()
      await call.gone()
      await world.clock.elapse(1_100)
      expect(application.forms('https://example.com/recorded')).toMatchObject([
        { CallSid: call.sid, RecordingStatus: 'completed', RecordingDuration: '3', RecordingChannels: '2' },
      ])
    }))
})

describe("the actions of Telnyx's Call Control", () => {
  it('send keys and record, and ignore a command that is repeated within a minute', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world, { dialect: 'telnyx' })
      const call = application.call()
      await world.clock.elapse(50)
      const act = (action: string, body: object = {}) =>
        application.telnyx(`calls/${call.sid}/actions/${action}`, body)
      const keys = () => call.events.filter(({ type }) => type === 'hears-keys')
      const command = { digits: '12', command_id: 'x' }
      expect(await act('send_dtmf', command)).toMatchObject({ http: 200, data: { result: 'ok' } })
      expect(await act('send_dtmf', command)).toMatchObject({ http: 200 })
      await world.clock.elapse(1_000)
      expect(keys()).toMatchObject([{ digits: '12' }])
      await world.clock.elapse(60_000)
      await act('send_dtmf', command)
      await world.clock.elapse(1_000)
      expect(keys()).toHaveLength(2)
      expect(await act('send_dtmf', { digits: 'x' })).toMatchObject({ http: 422 })
      expect(await act('record_start', { channels: 'dual' })).toMatchObject({ http: 200 })
      expect(await act('dance')).toMatchObject({ http: 404 })
      expect(application.received('stop')).toEqual([])
      call.hangUp()
      expect(await act('send_dtmf', command)).toMatchObject({ http: 422, errors: [{ code: '90018' }] })
      expect(await application.telnyx('calls/unknown/actions/hangup')).toMatchObject({ http: 404 })
    }))
})
