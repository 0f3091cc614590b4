import { describe, expect, it } from 'vitest'
import { sine } from '../../src/audio/index.ts'
import { inVirtualTime, type World } from '../../src/testing/index.ts'
import type { TwilioCall } from '../../src/testing/servers/index.ts'
import { Application } from './twilio-application.ts'

const EVENTS = 'https://example.com/conference'
const ALL = 'start end join leave mute hold'
const TONE = sine(440, { sampleRate: 8000, duration: 200 })

const room = (attributes = '', name = 'N') =>
  `<Response><Dial action="/after"><Conference ${attributes} statusCallback="${EVENTS}" statusCallbackEvent="${ALL}">${name}</Conference></Dial></Response>`

/** Calls, each with a document of its own. */
async function meet(world: World, ...documents: string[]) {
  const application = new Application(world)
  const calls: TwilioCall[] = []
  for (const document of documents) {
    application.twiml = ({ url }) => (url.endsWith('/after') ? '<Response><Hangup/></Response>' : document)
    calls.push(application.call())
    await world.clock.elapse(50)
  }
  const events = () =>
    application.forms(EVENTS).map(({ StatusCallbackEvent: event, CallSid }) => {
      const index = calls.findIndex(({ sid }) => sid === CallSid)
      return index < 0 ? event : `${event} ${index}`
    })
  return { application, calls, events, forms: () => application.forms(EVENTS) }
}

describe('a conference', () => {
  it('mixes all who are in it, and reports who comes and goes', () =>
    inVirtualTime(async (world) => {
      const { application, calls, events, forms } = await meet(
        world,
        room('participantLabel="a"'),
        room(),
        room(),
      )
      const [a, b, c] = calls as [TwilioCall, TwilioCall, TwilioCall]
      await Promise.all([a.says(TONE), b.says(sine(600, { sampleRate: 8000, duration: 200 }))])
      await c.listens(100)
      expect(calls.map(({ heardBytes }) => heardBytes)).toEqual([1_600, 1_600, 1_600])
      const peak = ({ heard }: TwilioCall) => Math.max(...heard.samples)
      expect(peak(c)).toBeGreaterThan(1.5 * Math.max(peak(a), peak(b)))
      b.hangUp()
      await world.clock.elapse(50)
      c.hangUp()
      await world.clock.elapse(50)
      a.hangUp()
      await world.clock.elapse(50)
      expect(events()).toEqual([
        'participant-join 0',
        'participant-join 1',
        'conference-start',
        'participant-join 2',
        'participant-leave 1',
        'participant-leave 2',
        'participant-leave 0',
        'conference-end',
      ])
      expect(forms()[0]).toMatchObject({ FriendlyName: 'N', ParticipantLabel: 'a', SequenceNumber: '1' })
      expect(forms()[4]).toMatchObject({
        ParticipantCallStatus: 'completed',
        ReasonParticipantLeft: 'participant_hung_up',
      })
      expect(forms()[7]).toMatchObject({
        ReasonConferenceEnded: 'last-participant-left',
        CallSidEndingConference: a.sid,
      })
      expect(new Set(forms().map(({ ConferenceSid }) => ConferenceSid)).size).toBe(1)
      expect(application.carrier.open).toBe(0)
    }))

  it('starts with the participant who may start it, and reports to the first one only', () =>
    inVirtualTime(async (world) => {
      const waits = room('startConferenceOnEnter="false"')
      const { calls, events } = await meet(world, waits.replace(EVENTS, ''), waits, room())
      expect(events()).toEqual([])
      await calls[0]!.says(TONE)
      await calls[1]!.listens(50)
      expect(calls[1]!.heardBytes).toBe(1_600)
      for (const call of calls) call.abort()
      const alone = await meet(world, waits, waits)
      await alone.calls[0]!.says(TONE)
      expect([alone.calls[1]!.heardBytes, alone.events()]).toEqual([
        0,
        ['participant-join 0', 'participant-join 1'],
      ])
      for (const call of alone.calls) call.abort()
    }))

  it('ends for all when a participant with endConferenceOnExit leaves, and their documents continue', () =>
    inVirtualTime(async (world) => {
      const { application, calls, forms } = await meet(world, room(), room('endConferenceOnExit="true"'))
      calls[1]!.hangUp()
      await calls[0]!.gone()
      expect(application.forms('https://example.com/after')).toMatchObject([
        { CallSid: calls[1]!.sid, CallStatus: 'completed', DialCallStatus: 'answered' },
        { CallSid: calls[0]!.sid, CallStatus: 'in-progress' },
      ])
      expect(forms().at(-1)).toMatchObject({
        ReasonConferenceEnded: 'participant-with-end-conference-on-exit-left',
        CallSidEndingConference: calls[1]!.sid,
      })
    }))

  it('is left by a redirect, and its name can be used again', () =>
    inVirtualTime(async (world) => {
      const { application, calls, forms } = await meet(world, room(), room())
      const move = { Twiml: room('', 'M') }
      for (const { sid } of calls) await application.rest(`Calls/${sid}.json`, move)
      await world.clock.elapse(50)
      await calls[0]!.says(TONE)
      await calls[1]!.listens(50)
      expect(
        forms()
          .map(({ FriendlyName }) => FriendlyName)
          .join(''),
      ).toBe('NNNNMNNMM')
      expect(forms()[3]).toMatchObject({ ReasonParticipantLeft: 'participant_updated_via_api' })
      const back = { Twiml: room() }
      for (const { sid } of calls) await application.rest(`Calls/${sid}.json`, back)
      await world.clock.elapse(50)
      const sids = forms()
        .filter(({ FriendlyName }) => FriendlyName === 'N')
        .map(({ ConferenceSid }) => ConferenceSid)
      expect(new Set(sids).size).toBe(2)
      application.carrier.abort()
    }))

  it('is changed over REST: participants are muted, held and removed', () =>
    inVirtualTime(async (world) => {
      const { application, calls, events } = await meet(world, room('participantLabel="a"'), room())
      const [a, b] = calls as [TwilioCall, TwilioCall]
      const path = `Conferences/N/Participants/a.json`
      expect(await application.rest(path, { Muted: 'true' })).toMatchObject({ http: 200, muted: true })
      await a.says(TONE)
      expect(b.heardBytes).toBe(0)
      await application.rest(path, { Muted: 'false', Hold: 'true' })
      await Promise.all([a.says(TONE), b.says(TONE)])
      expect([a.heardBytes, b.heardBytes]).toEqual([0, 0])
      await application.rest(path, { Hold: 'false' })
      await a.says(TONE)
      await b.listens(50)
      expect(b.heardBytes).toBe(1_600)
      expect(await application.rest('Conferences/N/Participants.json', {}, 'GET')).toMatchObject({
        participants: [
          { call_sid: a.sid, label: 'a', status: 'connected', muted: false, hold: false },
          { call_sid: b.sid, label: null },
        ],
      })
      expect(await application.rest('Conferences.json?FriendlyName=N', {}, 'GET')).toMatchObject({
        conferences: [{ friendly_name: 'N', status: 'in-progress' }],
      })
      expect(await application.rest(path, {}, 'DELETE')).toMatchObject({ http: 204 })
      await a.gone()
      expect(await application.rest(path, { Muted: 'true' })).toMatchObject({ http: 404, code: 20_404 })
      expect(await application.rest('Conferences/N.json', { Status: 'completed' })).toMatchObject({
        status: 'completed',
        reason_conference_ended: 'conference-ended-via-api',
      })
      await b.gone()
      expect(await application.rest('Conferences/N.json', {}, 'GET')).toMatchObject({ http: 404 })
      expect(await application.rest('Conferences.json', {}, 'GET')).toMatchObject({ conferences: [] })
      expect(await application.rest('Conferences.json?Status=completed', {}, 'GET')).toMatchObject({
        conferences: [{ friendly_name: 'N' }],
      })
      expect(events().slice(3)).toEqual([
        'participant-mute 0',
        'participant-unmute 0',
        'participant-hold 0',
        'participant-unhold 0',
        'participant-leave 0',
        'participant-leave 1',
        'conference-end',
      ])
    }))

  it('is silent for a participant who was removed, and reports only what was asked for', () =>
    inVirtualTime(async (world) => {
      const document = `<Response><Dial><Conference statusCallback="${EVENTS}" statusCallbackEvent="leave">N</Conference></Dial><Pause length="60"/></Response>`
      const { application, calls, events } = await meet(world, document, document)
      await application.rest(`Conferences/N/Participants/${calls[0]!.sid}.json`, {}, 'DELETE')
      await calls[1]!.says(TONE)
      expect([calls[0]!.state, calls[0]!.heardBytes]).toEqual(['in-progress', 0])
      expect(events()).toEqual(['participant-leave 0'])
      application.carrier.abort()
    }))

  it('ends if the only participant never joins', () =>
    inVirtualTime(async (world) => {
      const { application } = await meet(world)
      application.carrier.person('+2', { outcome: 'busy' })
      await application.rest('Conferences/N/Participants.json', { From: '+9', To: '+2' })
      expect(await application.rest('Conferences/N.json', {}, 'GET')).toMatchObject({ status: 'init' })
      await world.clock.elapse(2_000)
      expect(await application.rest('Conferences/N.json', {}, 'GET')).toMatchObject({ http: 404 })
    }))

  it('calls somebody over REST, and reports a participant who never joins', () =>
    inVirtualTime(async (world) => {
      const { application, calls, events, forms } = await meet(world, room())
      const person = application.carrier.person('+1', {})
      application.carrier.person('+2', { outcome: 'busy' })
      const add = (to: string) =>
        application.rest('Conferences/N/Participants.json', { From: '+9', To: to, Label: `to ${to}` })
      const joined = await add('+1')
      expect(joined).toMatchObject({ http: 201, label: 'to +1', status: 'queued' })
      const missing = await add('+2')
      await world.clock.elapse(2_000)
      expect(person.calls[0]!.sid).toBe(joined['call_sid'])
      await calls[0]!.says(TONE)
      await person.calls[0]!.listens(50)
      expect(person.calls[0]!.heardBytes).toBe(1_600)
      // Those two are not among the calls of `meet`.
      expect(events().filter((event) => event === 'participant-join')).toHaveLength(1)
      expect(events().filter((event) => event === 'participant-leave')).toHaveLength(1)
      expect(forms().at(-1)).toMatchObject({
        StatusCallbackEvent: 'participant-leave',
        CallSid: missing['call_sid'],
        ParticipantLabel: 'to +2',
        ParticipantCallStatus: 'busy',
      })
      application.carrier.abort()
    }))
})
