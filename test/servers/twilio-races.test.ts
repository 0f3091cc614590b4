import { describe, expect, it } from 'vitest'
import { SimRandom } from '../../src/testing/sim-random.ts'
import { inVirtualTime, type World } from '../../src/testing/index.ts'
import { TwilioCarrier } from '../../src/testing/servers/index.ts'
import { Application, connected, CONNECT, formOf } from './twilio-application.ts'
import { DIALLED, dialling, STATUS, toDial } from './twilio-dialling.ts'

const LATE = 'https://example.com/late'
const dialAll = { ...toDial, StatusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'] }

describe('a rude REST API', () => {
  it.each([
    ['with a status of 500', { answersWith: 500 }, { http: 500, code: 20_500 }],
    ['by a reset', { answersWith: 'reset' }, undefined],
    ['never', { answersAfter: 'never' }, undefined],
  ] as const)('answers %s, and the call rings all the same', (_, manners, answer) =>
    inVirtualTime(async (world) => {
      const { application, callee } = dialling(world)
      application.carrier.rest.manners = manners
      const asked = application.rest('Calls.json', toDial)
      const result = asked.catch((error: unknown) => error)
      await world.clock.elapse(1_500)
      expect(callee.calls[0]!.state).toBe('in-progress')
      if (answer) expect(await result).toMatchObject(answer)
      else if ('answersWith' in manners) expect(await result).toBeInstanceOf(TypeError)
      application.carrier.abort()
    }),
  )

  it('answers after the webhooks that a request has caused', () =>
    inVirtualTime(async (world) => {
      const { application, callee, statuses } = dialling(world, { answersAfter: 100 })
      application.carrier.rest.manners = { answersAfter: 2_000 }
      const asked = application.rest('Calls.json', dialAll)
      await world.clock.elapse(1_000)
      // A hang-up between the request and its response.
      callee.calls[0]!.hangUp()
      expect(await asked).toMatchObject({ http: 201, status: 'queued', sid: callee.calls[0]!.sid })
      expect(statuses()).toEqual(['initiated', 'ringing', 'in-progress', 'completed'])
    }))

  it('forgets a request whose client leaves before it is processed', () =>
    inVirtualTime(async (world) => {
      const { application } = dialling(world)
      const { carrier } = application
      carrier.rest.manners = { delay: 1_000 }
      const left = new AbortController()
      const asked = carrier.fetch(`https://api.telnyx.com/v2/texml/calls/1`, {
        method: 'POST',
        headers: { authorization: `Bearer ${carrier.authToken}` },
        body: JSON.stringify(toDial),
        signal: left.signal,
      })
      const result = asked.catch((error: unknown) => error)
      await world.clock.elapse(500)
      left.abort()
      expect(await result).toMatchObject({ name: 'AbortError' })
      await world.clock.elapse(1_000)
      expect([carrier.calls, carrier.rest.requests]).toEqual([[], []])
    }))

  it('treats each request in its own way, and refuses with any code', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      application.carrier.rest.manners = ({ body }) =>
        body.includes('Twiml') ? { status: 400, code: 21_220 } : {}
      const path = `Calls/${call.sid}.json`
      expect(await application.rest(path, { Twiml: CONNECT })).toMatchObject({ http: 400, code: 21_220 })
      expect(call.over).toBe(false)
      expect(await application.rest(path, { Status: 'completed' })).toMatchObject({ http: 200 })
    }))

  it.each([
    ['before', { answersAfter: 200 }, 1],
    ['after', { redirectDelay: 200 }, 0],
  ])('stops the stream %s it answers a redirect', (_, manners, stops) =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      application.carrier.rest.manners = manners
      const twiml = '<Response><Pause length="9"/></Response>'
      await application.rest(`Calls/${call.sid}.json`, { Twiml: twiml })
      expect(application.received('stop')).toHaveLength(stops)
      await world.clock.elapse(300)
      expect([application.received('stop').length, call.state]).toEqual([1, 'in-progress'])
      // The next redirect has manners of its own.
      application.carrier.rest.manners = {}
      await application.rest(`Calls/${call.sid}.json`, { Twiml: CONNECT })
      expect(call.open).toBe(1)
      call.abort()
    }),
  )

  it('forgets a redirect that the caller outruns', () =>
    inVirtualTime(async (world) => {
      const { application, call } = await connected(world)
      application.carrier.rest.manners = { redirectDelay: 200 }
      await application.rest(`Calls/${call.sid}.json`, { Url: 'https://example.com/next' })
      call.hangUp()
      await world.clock.elapse(1_000)
      expect(application.forms('https://example.com/next')).toEqual([])
      expect(call.events.some(({ type }) => type === 'redirected')).toBe(false)
    }))
})

describe('a person who picks up at the instant of a hang-up', () => {
  it.each([
    ['completed', ['in-progress', 'completed'], 'completed'],
    ['canceled', ['in-progress'], 'in-progress'],
  ])('is hung up by Status=%s after %j', (status, reported, state) =>
    inVirtualTime(async (world) => {
      const { application, callee, statuses } = dialling(world, { outcome: 'never', answersAtHangUp: true })
      const { sid } = await application.rest('Calls.json', dialAll)
      await world.clock.elapse(500)
      const path = `Calls/${String(sid)}.json`
      expect(await application.rest(path, { Status: status })).toMatchObject({ http: 200, status: state })
      await world.clock.elapse(100)
      expect([callee.calls[0]!.state, statuses().slice(2)]).toEqual([state, reported])
      application.carrier.abort()
    }),
  )
})

describe('rude callbacks', () => {
  const story = async (world: World, random = new SimRandom(7)) => {
    const { application, callee } = dialling(
      world,
      { answersAfter: 100 },
      { random, callbacks: { jitter: 5_000, repeats: 1, loses: 0.2 } },
    )
    await application.rest('Calls.json', dialAll)
    await world.clock.elapse(400)
    callee.calls[0]!.hangUp()
    await world.clock.elapse(10_000)
    return application.forms(STATUS).map(({ SequenceNumber }) => Number(SequenceNumber))
  }

  it('come twice, out of order and not at all, the same way for the same random numbers', () =>
    inVirtualTime(async (world) => {
      const first = await story(world)
      expect(first.length).toBeGreaterThan(2)
      expect(first.length).toBeLessThan(8)
      expect(first).not.toEqual(first.toSorted((one, other) => one - other))
      expect(new Set(first).size).toBeLessThan(first.length)
      expect(await story(world)).toEqual(first)
      expect(await story(world, new SimRandom(8))).not.toEqual(first)
    }))

  it('are lost or late as the test says', () =>
    inVirtualTime(async (world) => {
      const { application, callee, statuses } = dialling(world, { answersAfter: 100 })
      application.carrier.callbacks = {
        loses: ({ CallStatus }) => CallStatus === 'ringing',
        delay: ({ CallStatus }) => (CallStatus === 'in-progress' ? 5_000 : 0),
      }
      await application.rest('Calls.json', dialAll)
      await world.clock.elapse(500)
      callee.calls[0]!.hangUp()
      await world.clock.elapse(10_000)
      expect(statuses()).toEqual(['initiated', 'completed', 'in-progress'])
    }))

  it.each([
    ['a status', { Twiml: CONNECT }, { delay: 1_000 }],
    ['a recording', { Twiml: CONNECT, Record: 'true', RecordingStatusCallback: LATE }, {}],
    [
      'a verdict',
      { Twiml: CONNECT, MachineDetection: 'Enable', AsyncAmd: 'true', AsyncAmdStatusCallback: LATE },
      {},
    ],
  ])('of %s are not sent any more by a carrier that was aborted', (_, fields, callbacks) =>
    inVirtualTime(async (world) => {
      const detection = { evenIfOver: true }
      const { application } = dialling(world, { answersAfter: 100, detection }, { callbacks })
      await application.rest('Calls.json', { ...toDial, ...fields, Url: [] })
      await world.clock.elapse(500)
      application.carrier.abort()
      await world.clock.elapse(10)
      const { length } = application.posts
      expect(world.clock.outside.size).toBe(0)
      await world.clock.elapse(10_000)
      expect(application.posts).toHaveLength(length)
    }),
  )

  it('can be made up, for a call that nobody knows', () =>
    inVirtualTime(async (world) => {
      const { carrier, posts } = new Application(world)
      const form = { CallSid: 'CA0', RecordingStatus: 'completed' }
      await carrier.notify('https://example.com/recorded', form)
      expect(formOf(posts[0]!)).toEqual({ AccountSid: carrier.accountSid, ...form })
      expect(posts[0]!.headers['x-twilio-signature']).toEqual(expect.any(String))
    }))
})

describe('the document of an outbound call', () => {
  it('can be requested twice at once', () =>
    inVirtualTime(async (world) => {
      const { application } = dialling(world, { repeats: 1 })
      await application.rest('Calls.json', toDial)
      await world.clock.elapse(1_500)
      expect(application.forms(DIALLED)).toHaveLength(2)
      expect(application.received('start')).toHaveLength(1)
      application.carrier.abort()
    }))
})

describe('a carrier over real sockets', () => {
  it('breaks the connection of a request that it has processed', async () => {
    await using carrier = await TwilioCarrier.listen()
    carrier.person('+4930123')
    carrier.rest.manners = { answersWith: 'reset' }
    const { accountSid: account, authToken, url } = carrier
    const authorization = `Basic ${Buffer.from(`${account}:${authToken}`).toString('base64')}`
    const asked = fetch(`${url}/2010-04-01/Accounts/${account}/Calls.json`, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams({ To: '+4930123', From: '+1', Twiml: '<Response/>' }),
    })
    await expect(asked).rejects.toThrow()
    expect(carrier.live).toHaveLength(1)
  })
})
