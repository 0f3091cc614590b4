import { describe, expect, it } from 'vitest'
import { sine } from '../../src/audio/index.ts'
import { inVirtualTime } from '../../src/testing/index.ts'
import { Application, connected, CONNECT, WEBHOOK } from './twilio-application.ts'

const PAUSE = '<Response><Pause length="5"/></Response>'

describe('a call that is redirected over REST', () => {
  it('leaves its stream with stop and a close frame, and lives on with the new document', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world, { statusCallback: 'https://example.com/status' })
      const answer = await application.rest(`Calls/${call.sid}.json`, { Twiml: PAUSE })
      expect(answer).toMatchObject({ http: 200, sid: call.sid, status: 'in-progress' })
      await world.clock.elapse(100)
      expect(application.received('stop')).toMatchObject([{ stop: { callSid: call.sid } }])
      expect(application.peers[0]!.open).toBe(false)
      expect([call.state, call.open]).toEqual(['in-progress', 0])
      await call.gone()
      expect(call.events.at(-1)).toMatchObject({ type: 'ended', by: 'application' })
      expect(call.events.at(-1)!.at).toBeGreaterThan(5_000)
      expect(application.forms('https://example.com/status')).toHaveLength(1)
    }))

  it('requests the document of a URL, and can come back to a stream', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      const next = 'https://example.com/next'
      expect(await application.rest(`Calls/${call.sid}.json`, { Url: next })).toMatchObject({ http: 200 })
      await world.clock.elapse(50)
      expect(application.forms(next)).toMatchObject([{ CallSid: call.sid, CallStatus: 'in-progress' }])
      expect(application.received('start')).toHaveLength(2)
      application.sound(200)
      await call.listens(100)
      expect(call.heardBytes).toBe(1_600)
      call.hangUp()
      await call.gone()
      // The first stream got its own `stop`.
      expect(application.received('stop')).toHaveLength(2)
    }))

  it('replaces its stream by that of the new document, and a document that is still on its way', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      const path = `Calls/${call.sid}.json`
      application.twiml = async () => {
        await world.clock.elapse(120)
        return PAUSE
      }
      await application.rest(path, { Twiml: '<Response><Redirect>/slow</Redirect></Response>' })
      await world.clock.elapse(50)
      await application.rest(path, { Twiml: CONNECT })
      await world.clock.elapse(50)
      await application.rest(path, { Twiml: CONNECT })
      await world.clock.elapse(200)
      expect(application.received('start')).toHaveLength(3)
      expect(application.peers.map(({ open }) => open)).toEqual([false, false, true])
      expect([call.state, call.events.some(({ type }) => type === 'told-more')]).toEqual([
        'in-progress',
        false,
      ])
      call.abort()
    }))

  it('does not request the action of the document that was replaced', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world)
      application.twiml = () => CONNECT.replace('<Connect>', '<Connect action="/action">')
      const call = application.call()
      await world.clock.elapse(20)
      await application.rest(`Calls/${call.sid}.json`, { Twiml: PAUSE })
      await call.gone()
      expect(application.posts.map(({ url }) => url)).toEqual([WEBHOOK])
    }))

  it('is refused once it has ended, and with a malformed document', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      const path = `Calls/${call.sid}.json`
      expect(await application.rest(path, { Twiml: '<Response>' })).toMatchObject({ http: 400, code: 12_100 })
      expect(await application.rest(path, {})).toMatchObject({ http: 400, code: 20_001 })
      expect(application.received('stop')).toEqual([])
      call.hangUp()
      expect(await application.rest(path, { Twiml: PAUSE })).toMatchObject({ http: 400, code: 21_220 })
      expect(await application.rest('Calls/CA0.json', { Twiml: PAUSE })).toMatchObject({
        http: 404,
        code: 20_404,
      })
    }))

  it('shows its state, its numbers and its times', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world, { from: '+1', to: '+2' })
      const path = `Calls/${call.sid}.json`
      expect(await application.rest(path, {}, 'GET')).toMatchObject({
        http: 200,
        status: 'in-progress',
        direction: 'inbound',
        from: '+1',
        to: '+2',
        duration: null,
        end_time: null,
      })
      await world.clock.elapse(3_000)
      call.hangUp()
      expect(await application.rest(path, {}, 'GET')).toMatchObject({
        status: 'completed',
        duration: '3',
        end_time: expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000$/),
      })
    }))

  it('is redirected at Telnyx by Texml', () =>
    inVirtualTime(async (world) => {
      const application = new Application(world, { dialect: 'telnyx' })
      const call = application.call()
      await world.clock.elapse(30)
      const { accountSid } = application.carrier
      const path = `texml/Accounts/${accountSid}/Calls/${call.sid}`
      expect(await application.telnyx(path, { Texml: PAUSE })).toMatchObject({ http: 200 })
      await world.clock.elapse(100)
      expect(application.received('stop')).toMatchObject([{ stop: { call_control_id: call.sid } }])
      expect(call.state).toBe('in-progress')
      expect(await application.telnyx(path, { Status: 'completed' })).toMatchObject({ http: 200 })
      expect(call.endedBy).toBe('application-by-rest')
    }))
})

describe('what a caller says while nothing listens', () => {
  it('is lost, in real time', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      await application.rest(`Calls/${call.sid}.json`, { Twiml: PAUSE })
      const startedAt = world.clock.now()
      await call.says(sine(440, { sampleRate: 8000, duration: 300 }))
      expect(world.clock.now() - startedAt).toBe(300)
      call.abort()
    }))
})
