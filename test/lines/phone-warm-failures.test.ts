import { describe, expect, it } from 'vitest'
import type { TwilioCall } from '../../src/testing/servers/index.ts'
import { warmScene } from './warm-scene.ts'

const states = (calls: readonly TwilioCall[]): string[] => calls.map(({ state }) => state)

describe('a warm transfer that does not go as it should', () => {
  it('[TR5] whose server closes has ended both calls when it is closed, however slow the carrier', () =>
    warmScene(async ({ transfer, scope, carrier, desk }) => {
      transfer().catch(() => {})
      await carrier.until(() => desk.calls[0]?.events.some(({ type }) => type === 'redirected') === true)
      carrier.rest.manners = { delay: 1_200 }
      await scope.close()
      expect(carrier.live).toEqual([])
    }))

  it('[TR5] whose session is closed while the caller is being moved lives on, also if the carrier answers with an error', () =>
    warmScene(async ({ transfer, session, carrier, caller, desk, clock }) => {
      carrier.callbacks = {
        delay: ({ StatusCallbackEvent, CallSid }) =>
          StatusCallbackEvent === 'participant-join' && CallSid === caller.sid ? 10_000 : 0,
      }
      carrier.rest.manners = ({ path, body }) => {
        if (!path.includes(caller.sid) || !body.includes('Conference')) return {}
        session.close().catch(() => {})
        return { answersWith: 500 }
      }
      transfer().catch(() => {})
      await session.closed
      await clock.elapse(60_000)
      expect(states([caller, ...desk.calls])).toEqual(['in-progress', 'in-progress'])
      caller.hangUp()
      await desk.calls[0]!.gone()
    }))

  it.each(['person', 'caller'] as const)(
    '[TR3] [TR5] that cannot move the %s leaves the caller with the agent, and says why',
    (who) =>
      warmScene(async ({ transfer, carrier, caller, desk, session, clock }) => {
        const isMove = ({ path, body }: { path: string; body: string }): boolean =>
          path.includes((who === 'caller' ? caller : desk.calls[0])?.sid ?? 'nobody') &&
          body.includes('Conference')
        carrier.rest.manners = (request) => (isMove(request) ? { status: 400 } : {})
        expect(await transfer()).toBe('failed')
        await clock.elapse(5_000)
        expect(session.state).toBe('live')
        expect(states([caller, ...desk.calls])).toEqual(['in-progress', 'completed'])
        const { transfers } = await session.close()
        const answer = 'the carrier answers 400: 20400, The test set this status'
        expect(transfers).toMatchObject([{ why: `the ${who}'s call was not connected: ${answer}` }])
        await caller.gone()
      }),
  )

  it('[TR3] whose person cannot be called says why', () =>
    warmScene(async ({ transfer, carrier, caller, session }) => {
      carrier.rest.manners = { status: 401 }
      expect(await transfer()).toBe('failed')
      carrier.rest.manners = {}
      const { transfers } = await session.close()
      expect(transfers).toMatchObject([{ why: 'the carrier answers 401: 20401, The test set this status' }])
      await caller.gone()
    }))

  it('[TR5] brings back a caller who is moved although the carrier did not answer, after the person is gone', () =>
    warmScene(async ({ transfer, carrier, caller, desk, session, clock }) => {
      const isMove = ({ path, body }: { path: string; body: string }): boolean =>
        path.includes(caller.sid) && body.includes('Conference')
      carrier.rest.manners = (request) => (isMove(request) ? { answersWith: 500, redirectDelay: 4_000 } : {})
      expect(await transfer()).toBe('failed')
      await clock.elapse(20_000)
      expect(session.state).toBe('live')
      expect(states([caller, ...desk.calls])).toEqual(['in-progress', 'completed'])
      const before = caller.heardBytes
      await session.say('Are you still there?').waitForPlayout()
      expect(caller.heardBytes).toBeGreaterThan(before)
      await session.close()
      await caller.gone()
    }))

  it('[TR5] ends the call to the person if the caller, whose session was closed meanwhile, comes back to us', () =>
    warmScene(async ({ transfer, carrier, caller, desk, session, sessions, clock }) => {
      // The request is lost, and nobody knows: the session closes before it could see that the stream goes on.
      carrier.rest.manners = ({ path, body }) => {
        if (!path.includes(caller.sid) || !body.includes('Conference')) return {}
        session.close().catch(() => {})
        return { down: true }
      }
      transfer().catch(() => {})
      await session.closed
      await clock.elapse(10_000)
      expect(sessions.map(({ state }) => state)).toEqual(['closed', 'live'])
      expect(states([caller, ...desk.calls])).toEqual(['in-progress', 'completed'])
      await sessions[1]!.close()
      await caller.gone()
    }))

  it.each([
    ['to the same session', false, {}, ['in-progress', 'completed'], ['live']],
    ['to another session, if that was closed', true, {}, ['in-progress', 'completed'], ['closed', 'live']],
    [
      'to nobody, if the carrier cannot be asked, but ends the call',
      true,
      { status: 503 },
      ['completed', 'completed'],
      ['closed', 'closed'],
    ],
  ] as const)(
    '[TR5] whose person leaves before the caller has come brings the caller back %s',
    (_, closes, manners, expected, sessionStates) =>
      warmScene(async ({ transfer, carrier, caller, desk, session, sessions, clock }) => {
        carrier.rest.manners = ({ path, body }) => {
          if (body.includes('Redirect')) return manners
          if (!path.includes(caller.sid) || !body.includes('Conference')) return {}
          desk.calls[0]!.hangUp()
          if (closes) session.close().catch(() => {})
          return { redirectDelay: 500 }
        }
        const outcome = transfer().catch(() => 'closed')
        await caller.until(() => caller.events.some(({ type }) => type === 'joins-conference'))
        await clock.elapse(30_000)
        expect(await outcome).toBe(closes ? 'closed' : 'declined')
        expect(states([caller, ...desk.calls])).toEqual(expected)
        expect(sessions.map(({ state }) => state)).toEqual(sessionStates)
        caller.hangUp()
        await caller.gone()
        await sessions.at(-1)!.closed
      }),
  )

  it('[TR5] of a caller who is not here is not begun: a person who answers late is hung up', () =>
    warmScene(async ({ carrier, sessions, session, caller }) => {
      const url = 'http://localhost:3000/phone/answer?dial=unknown&for=CA0'
      const answer = await carrier.notify(url, { CallSid: 'CA1', CallStatus: 'in-progress' })
      expect(JSON.stringify(answer)).toContain('Hangup')
      expect(sessions).toHaveLength(1)
      await session.close()
      await caller.gone()
    }))

  it('[TR5] moves the caller only when the person joins, whatever else the carrier reports of the conference', () =>
    warmScene(async ({ transfer, carrier, caller, desk, session }) => {
      carrier.rest.manners = ({ path, body }) => {
        const [, name] = />(endwell-[^<]+)</.exec(new URLSearchParams(body).get('Twiml') ?? '') ?? []
        const person = desk.calls[0]?.sid ?? 'nobody'
        if (name === undefined || !path.includes(person)) return {}
        const form = { CallSid: person, FriendlyName: name, ConferenceSid: 'CF1' }
        for (const event of ['participant-leave', 'conference-start'])
          carrier
            .notify(`http://localhost:3000/phone/conference?for=${caller.sid}`, {
              ...form,
              StatusCallbackEvent: event,
            })
            .catch(() => {})
        return { status: 400, delay: 1_000 }
      }
      expect(await transfer()).toBe('failed')
      expect(caller.events.some(({ type }) => type === 'redirected')).toBe(false)
      await session.close()
      await caller.gone()
    }))

  it('[TR5] whose session is closed before the stream of the person has come begins no session for the person', () => {
    let act: (() => void) | undefined
    return warmScene(
      async ({ transfer, session, sessions, carrier, clock }) => {
        act = () => {
          // The stream comes before the person's call can be ended.
          carrier.rest.manners = { delay: 1_000 }
          session.close().catch(() => {})
        }
        transfer().catch(() => {})
        await session.closed
        await clock.elapse(10_000)
        expect([sessions.length, carrier.live]).toEqual([1, []])
      },
      {
        beginsWith: 'stream',
        person: { onEvent: ({ type }) => (type === 'connected' ? act?.() : undefined) },
      },
    )
  })
})
