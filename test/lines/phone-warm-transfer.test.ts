import { describe, expect, it } from 'vitest'
import type { TwilioCall } from '../../src/testing/servers/index.ts'
import { lineOf } from './phone-scene.ts'
import { DESK, warmScene } from './warm-scene.ts'

const states = (calls: readonly TwilioCall[]): string[] => calls.map(({ state }) => state)

describe.each(['twilio', 'telnyx'] as const)('a warm transfer by %s', (dialect) => {
  it('[TR5] leaves the caller with the person, who has joined first, and ends neither call', () =>
    warmScene(
      async ({ carrier, caller, desk, session, transfer, clock, reports, sessions }) => {
        expect(await transfer()).toBe('answered')
        const report = await session.closed
        expect(report).toMatchObject({ reason: 'transferred', clean: true, errors: [] })
        expect(lineOf(report)).toMatchObject({ how: 'closed', reason: 'the call goes on without us' })
        const [person] = desk.calls
        expect(report.transfers).toMatchObject([
          {
            to: DESK,
            outcome: 'answered',
            consultation: { id: person!.sid, reason: 'transferred', clean: true },
          },
        ])
        const joins = (call: TwilioCall): number => {
          const { at } = call.events.find(({ type }) => type === 'joins-conference')!
          return at - call.events[0]!.at
        }
        expect([joins(caller), joins(person!)].every((at) => at > 0)).toBe(true)
        await clock.elapse(120_000)
        expect(states([caller, person!])).toEqual(['in-progress', 'in-progress'])
        // The person has called nobody: there is one session, and one report.
        expect([sessions.length, reports.length]).toEqual([1, 1])
        person!.hangUp()
        await caller.gone()
        expect(carrier.live).toEqual([])
      },
      { dialect },
    ))

  it.each([
    ['busy', 'busy'],
    ['no-answer', 'no-answer'],
    ['rejects', 'rejected'],
    ['fails', 'failed'],
    ['never', 'no-answer'],
  ] as const)('[TR5] to a person whose outcome is %s leaves the caller with the agent', (outcome, expected) =>
    warmScene(
      async ({ carrier, caller, session, transfer }) => {
        expect(await transfer({ ringTimeout: 10_000 })).toBe(expected)
        await caller.listens(500)
        expect([session.state, caller.state, carrier.live.length]).toEqual(['live', 'in-progress', 1])
        caller.hangUp()
        const report = await session.closed
        expect(report).toMatchObject({
          reason: 'caller-hung-up',
          transfers: [{ to: DESK, outcome: expected }],
        })
        expect(report.transfers![0]!.consultation).toBeUndefined()
      },
      { dialect, person: { outcome } },
    ),
  )

  it('[TR5] that the person declines leaves the caller with the agent', () =>
    warmScene(
      async ({ carrier, caller, desk, session, transfer, clock }) => {
        expect(await transfer()).toBe('declined')
        await clock.elapse(2_000)
        expect(states([caller, ...desk.calls])).toEqual(['in-progress', 'completed'])
        await session.close()
        await caller.gone()
        expect(carrier.live).toEqual([])
      },
      { dialect, decision: 'decline_call' },
    ))

  it('[TR5] to a machine is given up, if the carrier is to find that out', () =>
    warmScene(
      async ({ carrier, caller, session, transfer, clock }) => {
        expect(await transfer({ machines: 'hang-up' })).toBe('machine')
        await clock.elapse(5_000)
        expect(states([...carrier.live])).toEqual(['in-progress'])
        expect(session.state).toBe('live')
        await session.close()
        await caller.gone()
      },
      { dialect, person: { machine: {} } },
    ))
})
