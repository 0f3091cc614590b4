import { describe, expect, it } from 'vitest'
import type { AttemptPlace, DialOptions, SharedDials } from '../../src/lines/twilio/index.ts'
import { limits } from '../../src/lines/twilio/limits.ts'
import { carrierScene } from './carrier-scene.ts'

const PERSON = '+4930123456'
const OURS = '+15550100'
const dial: DialOptions = { to: PERSON, from: OURS }

const account = { application: '1293', dialRate: 100 }

describe.each(['twilio', 'telnyx'] as const)('calling out by %s', (dialect) => {
  it('[DI1] connects the person who answers to a session', () =>
    carrierScene(
      async ({ carrier, calls, clock, sessions, infos }) => {
        const person = carrier.person(PERSON)
        const attempt = calls.dial({ ...dial, parameters: { order: '17' } })
        const report = await attempt.report
        const [callee] = person.calls
        expect(report).toEqual({
          key: attempt.key,
          outcome: 'answered',
          id: callee!.sid,
          took: expect.any(Number),
        })
        await callee!.listens(200)
        expect(callee!.heardBytes).toBeGreaterThan(1_000)
        expect(infos).toMatchObject([
          { id: callee!.sid, direction: 'outbound', from: OURS, to: PERSON, parameters: { order: '17' } },
        ])
        callee!.hangUp()
        expect((await sessions[0]!.closed).reason).toBe('caller-hung-up')
        await clock.elapse(60_000)
        expect(carrier.live).toEqual([])
        expect(await attempt.cancel()).toBe(report)
      },
      { dialect, ...account },
    ))

  it.each([
    ['busy', 'busy'],
    ['no-answer', 'no-answer'],
    ['rejects', 'rejected'],
    ['fails', 'failed'],
    ['never', 'no-answer'],
  ] as const)('[DI1] reports a person whose outcome is %s as %s', (outcome, expected) =>
    carrierScene(
      async ({ carrier, calls, sessions }) => {
        carrier.person(PERSON, { outcome })
        const { outcome: reported } = await calls.dial({ ...dial, ringTimeout: 10_000 }).report
        expect(reported).toBe(expected)
        expect(sessions).toEqual([])
        expect(carrier.live).toEqual([])
      },
      { dialect, ...account },
    ),
  )

  it('[DI1] hangs up on a machine, if told to', () =>
    carrierScene(
      async ({ carrier, calls, sessions, clock }) => {
        carrier.person(PERSON, { machine: {} })
        const report = await calls.dial({ ...dial, machines: 'hang-up' }).report
        expect(report.outcome).toBe('machine')
        await clock.elapse(5_000)
        expect([sessions.length, carrier.live.length]).toEqual([0, 0])
      },
      { dialect, ...account },
    ))

  it('[DI2] is cancelled while it rings', () =>
    carrierScene(
      async ({ carrier, calls, clock }) => {
        const person = carrier.person(PERSON, { outcome: 'never' })
        const attempt = calls.dial(dial)
        await clock.elapse(3_000)
        expect(person.calls.map(({ state }) => state)).toEqual(['ringing'])
        expect(await attempt.cancel()).toMatchObject({ outcome: 'cancelled', id: person.calls[0]!.sid })
        expect(carrier.live).toEqual([])
      },
      { dialect, ...account },
    ))
})

describe('calling out', () => {
  it('[DI1] says why the carrier refuses', () =>
    carrierScene(async ({ calls, carrier }) => {
      carrier.rest.manners = { status: 401 }
      const report = await calls.dial(dial).report
      expect(report).toMatchObject({
        outcome: 'failed',
        why: 'the carrier answers 401: 20401, The test set this status',
      })
    }, account))

  it('[DI1] has failed at once if the carrier takes no more requests now', () =>
    carrierScene(async ({ calls, carrier, clock }) => {
      carrier.rest.manners = { status: 429 }
      const report = await calls.dial(dial).report
      expect([report.outcome, report.why]).toEqual([
        'failed',
        'the carrier answers 429: 20429, The test set this status',
      ])
      expect(clock.now()).toBeLessThan(2_000)
      expect(carrier.rest.requests).toHaveLength(1)
    }, account))

  it('[DI1] [DI2] is cancelled in the instant in which somebody answers, and does not go on', () =>
    carrierScene(async ({ calls, carrier, clock, sessions }) => {
      const person = carrier.person(PERSON, { outcome: 'never', answersAtHangUp: true })
      const attempt = calls.dial(dial)
      await clock.elapse(3_000)
      const { outcome } = await attempt.cancel()
      await clock.elapse(10_000)
      expect(['cancelled', 'answered']).toContain(outcome)
      expect([person.calls.length, carrier.live, calls.size]).toEqual([1, [], 0])
      expect(sessions.filter(({ state }) => state !== 'closed')).toEqual([])
    }, account))

  it('[DI1] never dials a second time, whatever the carrier answers', () =>
    carrierScene(async ({ calls, carrier, clock }) => {
      const person = carrier.person(PERSON)
      carrier.rest.manners = { answersWith: 500 }
      // The phone rings, although the answer was an error: its first webhook says so.
      const attempt = calls.dial({ ...dial, key: 'order 17' })
      expect(calls.dial({ ...dial, key: 'order 17' })).toBe(attempt)
      expect((await attempt.report).outcome).toBe('answered')
      expect(calls.dial({ ...dial, key: 'order 17' })).toBe(attempt)
      await clock.elapse(10_000)
      expect(person.calls).toHaveLength(1)
      carrier.rest.manners = {}
    }, account))

  it('[DI1] is unknown if the carrier neither answers nor reports', () =>
    carrierScene(async ({ calls, carrier, clock }) => {
      carrier.rest.manners = { down: true }
      const report = await calls.dial({ ...dial, ringTimeout: 20_000 }).report
      expect(report).toMatchObject({ outcome: 'unknown', why: 'the carrier cannot be reached (TypeError)' })
      expect(clock.now()).toBeLessThan(70_000)
    }, account))

  it('[DI2] that is cancelled before the carrier has answered does not ring on', () =>
    carrierScene(async ({ calls, carrier, clock }) => {
      carrier.person(PERSON, { outcome: 'never' })
      carrier.rest.manners = { answersAfter: 1_000 }
      const attempt = calls.dial(dial)
      await clock.elapse(10)
      const cancelled = attempt.cancel()
      await clock.elapse(1_100)
      carrier.rest.manners = {}
      expect((await cancelled).outcome).toBe('cancelled')
      expect(carrier.live).toEqual([])
    }, account))

  it('[DI2] ends with its scope: what is queued never rings, what rings is ended', () =>
    carrierScene(
      async ({ calls, carrier, clock, scope }) => {
        const person = carrier.person(PERSON, { outcome: 'never' })
        const attempts = [1, 2, 3].map(() => calls.dial(dial))
        await clock.elapse(1_500)
        expect(person.calls).toHaveLength(2)
        const report = await scope.close()
        expect(report.clean).toBe(true)
        expect(await Promise.all(attempts.map(async (each) => (await each.report).outcome))).toEqual([
          'cancelled',
          'cancelled',
          'cancelled',
        ])
        expect(carrier.live).toEqual([])
        expect(() => calls.dial(dial)).toThrow(expect.objectContaining({ code: 'DIAL_CLOSED' }))
      },
      { ...account, dialRate: 1 },
    ))

  it('[DI3] keeps its pace, and lets only so many phones ring at once', () =>
    carrierScene(
      async ({ calls, carrier, clock }) => {
        const person = carrier.person(PERSON, { outcome: 'never' })
        for (let n = 0; n < 5; n++) calls.dial({ ...dial, ringTimeout: 30_000 })
        const ringing = async (ms: number): Promise<number> => {
          await clock.elapse(ms)
          return person.calls.length
        }
        expect([await ringing(100), await ringing(450), await ringing(500), await ringing(5_000)]).toEqual([
          1, 2, 3, 3,
        ])
        person.calls[0]!.hangUp()
        expect(await ringing(600)).toBe(4)
      },
      { ...account, dialRate: 2, maxDials: 3 },
    ))

  it('[DI3] has a queue with a limit, which a close empties at once', () =>
    carrierScene(
      async ({ calls, carrier, clock, scope }) => {
        const person = carrier.person(PERSON, { outcome: 'never' })
        const attempts = Array.from({ length: limits.queuedDials + 1 }, () => calls.dial(dial))
        expect(() => calls.dial(dial)).toThrow(expect.objectContaining({ code: 'DIAL_QUEUE_FULL' }))
        // What is cancelled makes room.
        await attempts.at(-1)!.cancel()
        calls.dial(dial)
        await clock.elapse(500)
        await scope.close()
        const reports = await Promise.all(attempts.map((each) => each.report))
        expect(new Set(reports.map(({ outcome }) => outcome))).toEqual(new Set(['cancelled']))
        expect([person.calls.length, carrier.live.length]).toEqual([1, 0])
      },
      { ...account, dialRate: 1 },
    ))

  it('[DI3] is refused at once if it makes no sense', () =>
    carrierScene(async ({ calls }) => {
      await Promise.resolve()
      for (const bad of [
        { to: '' },
        { to: '4930' },
        { from: 'me' },
        { ringTimeout: 1 },
        { key: '' },
        { too: '+49' },
      ])
        expect(() => calls.dial({ ...dial, ...bad })).toThrow(expect.objectContaining({ code: 'BAD_OPTION' }))
    }, account))

  it('[DI3] needs an address and credentials', () =>
    carrierScene(
      async ({ calls }) => {
        await Promise.resolve()
        expect(() => calls.dial(dial)).toThrow(/set publicUrl/)
      },
      { publicUrl: undefined },
    ))
})

/** A fleet in which another process dials. */
class OtherDials implements SharedDials {
  asked = 0
  readonly ends: [string, string][] = []
  readonly #place: AttemptPlace

  constructor(place: AttemptPlace) {
    this.#place = place
  }

  async place(): Promise<AttemptPlace> {
    this.asked++
    return await Promise.resolve(this.#place)
  }

  ended(ticket: string, { outcome }: { readonly outcome: string }): void {
    this.ends.push([ticket, outcome])
  }
}

const theirs = 'http://localhost:3000/phone/answer?dial=theirs'
const statusCallback = 'http://localhost:3000/phone/status?dial=theirs'

describe('a call out of another process', () => {
  it('[DI5] is ended if no process knows it', () =>
    carrierScene(async ({ carrier, sessions }) => {
      const callee = carrier.call(theirs, { statusCallback })
      await callee.gone()
      expect([callee.endedBy, sessions.length]).toEqual(['application', 0])
    }, account))

  it('[DI5] is ended if its process is gone, and its outcome is passed on', () => {
    const sharedDials = new OtherDials('gone')
    return carrierScene(
      async ({ carrier, sessions }) => {
        const callee = carrier.call(theirs, { statusCallback })
        await callee.gone()
        expect([callee.endedBy, sessions.length]).toEqual(['application', 0])
        expect(sharedDials.ends[0]).toEqual(['theirs', 'cancelled'])
      },
      { ...account, sharedDials },
    )
  })

  it('[DI5] waits for a process that cannot be reached, and is ended after a while', () => {
    const sharedDials = new OtherDials('later')
    return carrierScene(
      async ({ carrier, sessions, clock }) => {
        const callee = carrier.call(theirs, { statusCallback })
        await callee.gone()
        await clock.elapse(1_000)
        expect([callee.endedBy, sessions.length]).toEqual(['application', 0])
        // Once for each answer, and once for the end of the call, which says how it went.
        expect(sharedDials.asked).toBe(limits.attempts + 1)
        expect(sharedDials.ends).toEqual([['theirs', 'answered']])
      },
      { ...account, sharedDials },
    )
  })

  it('[DI1] [DI5] has the outcome corrected that was unknown, by a late report', () => {
    const sharedDials = new OtherDials('gone')
    return carrierScene(
      async ({ calls, carrier, clock }) => {
        const person = carrier.person(PERSON, { outcome: 'never' })
        carrier.callbacks = { delay: ({ CallStatus }) => (CallStatus === 'no-answer' ? 90_000 : 0) }
        carrier.rest.manners = { answersWith: 500 }
        carrier.callbacks = { ...carrier.callbacks, loses: ({ CallStatus }) => CallStatus !== 'no-answer' }
        const attempt = calls.dial(dial)
        expect((await attempt.report).outcome).toBe('unknown')
        await clock.elapse(120_000)
        expect(person.calls).toHaveLength(1)
        expect(sharedDials.ends).toEqual([[expect.any(String), 'no-answer']])
      },
      { ...account, sharedDials },
    )
  })
})

describe('the parameters of a call', () => {
  it.each(['webhook', 'stream'] as const)(
    '[HO44] reach whoever answers a call that begins with its %s',
    (beginsWith) =>
      carrierScene(
        async ({ carrier, infos }) => {
          const caller = carrier.call('http://localhost:3000/phone/answer?department=sales&from=us', {
            to: OURS,
          })
          await caller.listens(200)
          expect(infos).toMatchObject([
            {
              direction: 'inbound',
              from: '+15550100',
              to: OURS,
              parameters: { department: 'sales', from: 'us' },
            },
          ])
          caller.hangUp()
          await caller.gone()
        },
        { beginsWith },
      ),
  )

  it('[HO44] of a carrier that does not sign them are ignored', () =>
    carrierScene(
      async ({ carrier, infos }) => {
        const caller = carrier.call('http://localhost:3000/phone/answer?department=sales')
        await caller.listens(200)
        expect(infos).toMatchObject([{ direction: 'inbound', parameters: {} }])
        caller.hangUp()
        await caller.gone()
      },
      { dialect: 'telnyx' },
    ))
})
