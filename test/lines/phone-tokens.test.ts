import { describe, expect, it } from 'vitest'
import { Calling } from '../../src/lines/twilio/calling.ts'
import { TwilioCalls } from '../../src/lines/twilio/index.ts'
import { twilio } from '../../src/lines/twilio/twilio.ts'
import { Scope, systemClock } from '../../src/scope/index.ts'
import { carrierScene } from './carrier-scene.ts'

describe('an auth token that is being replaced', () => {
  it('[LN15] is taken together with the other one', () =>
    carrierScene(
      async ({ carrier, call, infos }) => {
        const caller = call()
        await caller.listens(200)
        expect(infos).toHaveLength(1)
        expect(carrier.authToken).toBe('token')
        caller.hangUp()
        await caller.gone()
      },
      { authToken: 'the new token', secondaryAuthToken: 'token' },
    ))

  it('[LN15] is refused when it is not one of the two', () =>
    carrierScene(
      async ({ call, infos }) => {
        const caller = call()
        await caller.gone()
        expect(infos).toEqual([])
        expect(caller.state).toBe('failed')
      },
      { authToken: 'the new token', secondaryAuthToken: 'another one' },
    ))

  it('[LN15] [DI1] is not needed any more to end, look at or make a call, once the carrier takes only the other one', () =>
    carrierScene(
      async ({ carrier, talk, calls, clock, sessions }) => {
        const person = carrier.person('+4930123456')
        const { caller, session } = await talk()
        const report = await session.close()
        await caller.gone()
        expect([caller.endedBy, report.clean]).toEqual(['application-by-rest', true])
        expect(await calls.dial({ to: person.number, from: '+15550100' }).report).toMatchObject({
          outcome: 'answered',
        })
        expect(person.calls).toHaveLength(1)
        await person.calls[0]!.listens(200)
        person.calls[0]!.hangUp()
        // The carrier was asked whether the call has ended.
        expect((await sessions[1]!.closed).reason).toBe('caller-hung-up')
        await clock.elapse(1_000)
        expect(carrier.live).toEqual([])
      },
      { authToken: 'the old token', secondaryAuthToken: 'token' },
    ))

  it('[LN15] still signs the tickets of processes that have it', () => {
    const callingWith = (secret: string, otherSecret?: string): Calling =>
      new Calling({
        carrier: { ...twilio({ authToken: secret, accountSid: 'AC1', api: '' }), signsStreams: false },
        secret,
        otherSecret,
        publicUrl: 'https://phone.example.com',
        path: '/phone',
        account: undefined,
        clock: systemClock,
      })
    const request = { method: 'GET', headers: {}, address: '203.0.113.1', body: '' }
    const url = `/phone/stream${callingWith('old').ticketFor('CA1', { ...request, url: '' })}`
    const refusal = (calling: Calling): string | undefined => {
      const ticket = calling.ticketIn(url, '/phone/stream')
      return ticket === 'none' ? 'none' : calling.refusesStream({ ...request, url }, ticket)
    }
    expect(refusal(callingWith('new', 'old'))).toBeUndefined()
    expect(refusal(callingWith('new'))).toBe('TICKET_INVALID')
    expect(refusal(callingWith('new', 'other'))).toBe('TICKET_INVALID')
  })

  it.each([{ secondaryAuthToken: 'b' }, { authToken: 'a', secondaryAuthToken: '' }])(
    '[LN15] cannot be the only one: %j',
    async (options) => {
      await using scope = new Scope<string>('calls')
      expect(() => new TwilioCalls({ scope, onCall: () => {}, ...options })).toThrow(/secondaryAuthToken/)
    },
  )
})
