import { describe, expect, it } from 'vitest'
import type { RestRequest, TwilioCall } from '../../src/testing/servers/index.ts'
import { carrierScene } from './carrier-scene.ts'
import { lineOf } from './phone-scene.ts'

const DESK = '+4930123456'

const states = (calls: readonly TwilioCall[]): string[] => calls.map(({ state }) => state)

describe.each(['twilio', 'telnyx'] as const)('a transfer by %s', (dialect) => {
  it('[TR1] leaves the caller with the person, and does not end the call', () =>
    carrierScene(
      async ({ carrier, talk, clock, reports }) => {
        const desk = carrier.person(DESK)
        const { caller, session } = await talk()
        const outcome = session.transfer({ to: DESK, say: 'I will connect you.' })
        expect(await outcome).toBe('answered')
        const report = await session.closed
        expect(report).toMatchObject({ reason: 'transferred', clean: true, errors: [] })
        expect(lineOf(report)).toMatchObject({ how: 'closed', reason: 'the call goes on without us' })
        expect(states([caller, ...desk.calls])).toEqual(['in-progress', 'in-progress'])
        await clock.elapse(60_000)
        expect(states([caller, ...desk.calls])).toEqual(['in-progress', 'in-progress'])
        desk.calls[0]!.hangUp()
        await caller.gone()
        expect(caller.endedBy).toBe('application')
        expect(carrier.live).toEqual([])
        expect(reports).toHaveLength(1)
      },
      { dialect },
    ))

  it.each([
    ['busy', 'busy'],
    ['no-answer', 'no-answer'],
    ['rejects', 'rejected'],
    ['fails', 'failed'],
    ['never', 'no-answer'],
  ] as const)(
    '[TR1] to a person whose outcome is %s brings the caller back to the same session',
    (outcome, expected) =>
      carrierScene(
        async ({ carrier, talk, sessions }) => {
          carrier.person(DESK, { outcome })
          const { caller, session } = await talk()
          const before = caller.heardBytes
          expect(await session.transfer({ to: DESK, sorry: 'Nobody is there.', ringTimeout: 10_000 })).toBe(
            expected,
          )
          await caller.until(() => caller.heardBytes > before)
          expect(session.state).toBe('live')
          expect(sessions).toHaveLength(1)
          caller.hangUp()
          const report = await session.closed
          expect(report).toMatchObject({
            reason: 'caller-hung-up',
            transfers: [{ to: DESK, outcome: expected }],
          })
          expect(carrier.live).toEqual([])
        },
        { dialect },
      ),
  )
})

describe('a transfer', () => {
  it('[TR2] ends with the caller who hangs up while it rings', () =>
    carrierScene(async ({ carrier, talk, clock }) => {
      const desk = carrier.person(DESK, { outcome: 'never' })
      const { caller, session } = await talk()
      const outcome = session.transfer({ to: DESK })
      await clock.elapse(2_000)
      expect(states(desk.calls)).toEqual(['ringing'])
      caller.hangUp()
      const report = await session.closed
      await outcome.catch(() => {})
      expect(report).toMatchObject({
        reason: 'caller-hung-up',
        transfers: [{ to: DESK, outcome: 'caller-gone' }],
      })
      expect(carrier.live).toEqual([])
    }))

  it('[TR2] lives on if the session is closed while it rings', () =>
    carrierScene(async ({ carrier, talk, clock }) => {
      const desk = carrier.person(DESK, { answersAfter: 5_000 })
      const { caller, session } = await talk()
      session.transfer({ to: DESK }).catch(() => {})
      await clock.elapse(2_000)
      const report = await session.close()
      expect(report).toMatchObject({ reason: 'requested', transfers: [{ to: DESK, outcome: 'unknown' }] })
      await clock.elapse(10_000)
      expect(states([caller, ...desk.calls])).toEqual(['in-progress', 'in-progress'])
      caller.hangUp()
      await carrier.until(() => carrier.live.length === 0)
    }))

  it('[LN14] that fails after its session was closed begins a new one', () =>
    carrierScene(async ({ carrier, talk, clock, sessions }) => {
      carrier.person(DESK, { outcome: 'no-answer', answersAfter: 5_000 })
      const { caller, session } = await talk()
      session.transfer({ to: DESK }).catch(() => {})
      await clock.elapse(2_000)
      await session.close()
      const before = caller.heardBytes
      await caller.until(() => caller.heardBytes > before)
      expect(sessions.map(({ state }) => state)).toEqual(['closed', 'live'])
      caller.hangUp()
      await sessions[1]!.closed
      expect(carrier.live).toEqual([])
    }))

  it.each([
    ['is refused', { status: 400 }, 'the carrier answers 400: 20400, The test set this status'],
    ['cannot be asked for', { down: true }, 'the carrier cannot be reached (TypeError)'],
  ] as const)('[TR2] [TR3] that %s leaves the caller with the agent, and says why', (_, manners, why) =>
    carrierScene(async ({ carrier, talk }) => {
      carrier.person(DESK)
      const { caller, session } = await talk()
      carrier.rest.manners = manners
      expect(await session.transfer({ to: DESK, sorry: 'That did not work.' })).toBe('failed')
      await caller.listens(200)
      expect([session.state, caller.state]).toEqual(['live', 'in-progress'])
      carrier.rest.manners = {}
      const report = await session.close()
      expect(report.transfers).toMatchObject([{ to: DESK, outcome: 'failed', why }])
      await caller.gone()
      expect(carrier.live).toEqual([])
    }),
  )

  it('[TR2] is carried out although the carrier answers the request with an error, or not at all', () =>
    carrierScene(async ({ carrier, talk }) => {
      const desk = carrier.person(DESK)
      const { caller, session } = await talk()
      carrier.rest.manners = { answersWith: 500 }
      expect(await session.transfer({ to: DESK })).toBe('answered')
      expect((await session.closed).reason).toBe('transferred')
      expect(states([caller, ...desk.calls])).toEqual(['in-progress', 'in-progress'])
      caller.hangUp()
      await caller.gone()
    }))

  it('[TR2] is not refused by the answer to the one before', () =>
    carrierScene(
      async ({ carrier, talk, clock }) => {
        const desk = carrier.person(DESK)
        const { caller, session } = await talk()
        const requests = new Set<RestRequest>()
        carrier.rest.manners = (request) =>
          requests.add(request).size === 1 ? { delay: 1_400, status: 400 } : { answersAfter: 1_400 }
        const first = session.transfer({ to: DESK })
        await clock.elapse(100)
        caller.drop()
        expect(await first).toBe('failed')
        expect(clock.now()).toBeLessThan(5_000)
        // The answer to the first request comes while the phone rings.
        expect(await session.transfer({ to: DESK })).toBe('answered')
        const { reason, transfers } = await session.closed
        expect([reason, transfers?.map(({ why }) => why)]).toEqual([
          'transferred',
          ['the stream broke', undefined],
        ])
        expect(states([caller, ...desk.calls])).toEqual(['in-progress', 'in-progress'])
        caller.hangUp()
        await caller.gone()
      },
      { comesBack: () => Promise.resolve('yes') },
    ))

  it('[TR2] of a caller who has hung up, unnoticed until the carrier refuses it, ends with the caller', () =>
    carrierScene(async ({ carrier, talk }) => {
      const desk = carrier.person(DESK)
      carrier.callbacks = { loses: 1 }
      const { caller, session } = await talk()
      caller.hangUp('silently')
      session.transfer({ to: DESK }).catch(() => {})
      const report = await session.closed
      expect(report).toMatchObject({ reason: 'caller-hung-up', transfers: [{ outcome: 'caller-gone' }] })
      expect([desk.calls, carrier.live]).toEqual([[], []])
    }))

  it.each(['without-stop', 'cut'] as const)(
    '[TR2] lives on if the carrier answers with an error and leaves the stream: %s',
    (leaves) =>
      carrierScene(async ({ carrier, talk, clock }) => {
        const desk = carrier.person(DESK, { answersAfter: 4_000 })
        const { caller, session } = await talk({ leaves })
        carrier.rest.manners = { answersWith: 500 }
        expect(await session.transfer({ to: DESK })).toBe('answered')
        expect((await session.closed).reason).toBe('transferred')
        await clock.elapse(30_000)
        expect(states([caller, ...desk.calls])).toEqual(['in-progress', 'in-progress'])
        caller.hangUp()
        await caller.gone()
      }),
  )

  it('[TR2] needs credentials', () =>
    carrierScene(
      async ({ talk, carrier }) => {
        const { caller, session } = await talk()
        expect(await session.transfer({ to: DESK })).toBe('failed')
        caller.hangUp()
        const report = await session.closed
        expect(report.errors).toMatchObject([{ where: 'transfer', error: { code: 'TRANSFER_IMPOSSIBLE' } }])
        expect(carrier.live).toEqual([])
      },
      { authToken: undefined },
    ))
})

describe('a stream that stops', () => {
  it('[LN14] is a hang-up if the carrier says that the call has ended', () =>
    carrierScene(async ({ talk, carrier }) => {
      const { caller, session } = await talk()
      caller.hangUp()
      expect((await session.closed).reason).toBe('caller-hung-up')
      expect(carrier.rest.requests.map(({ method }) => method)).toEqual(['GET'])
    }))

  it('[LN14] is a hang-up if the carrier cannot be asked', () =>
    carrierScene(async ({ talk, carrier, clock }) => {
      const { caller, session } = await talk()
      carrier.rest.manners = { delay: 'never' }
      const at = clock.now()
      caller.hangUp()
      expect((await session.closed).reason).toBe('caller-hung-up')
      expect(clock.now() - at).toBeLessThan(2_000)
    }))

  it('[LN14] is a transfer if the application has redirected the call, which lives on', () =>
    carrierScene(async ({ talk, carrier, clock }) => {
      const { caller, session } = await talk()
      await carrier.fetch(
        `https://api.twilio.com/2010-04-01/Accounts/${carrier.accountSid}/Calls/${caller.sid}.json`,
        {
          method: 'POST',
          headers: {
            authorization: `Basic ${Buffer.from(`${carrier.accountSid}:${carrier.authToken}`).toString('base64')}`,
          },
          body: new URLSearchParams({ Twiml: '<Response><Pause length="30"/></Response>' }),
        },
      )
      const report = await session.closed
      expect(report).toMatchObject({ reason: 'transferred', by: 'line', clean: true })
      await clock.elapse(10_000)
      expect(caller.state).toBe('in-progress')
      caller.hangUp()
      await caller.gone()
    }))
})
