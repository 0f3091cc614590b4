import { describe, expect, it } from 'vitest'
import type { TwilioCall, TwilioCallEvent } from '../../src/testing/servers/index.ts'
import { lineOf } from './phone-scene.ts'
import { DESK, warmScene, type WarmScene } from './warm-scene.ts'

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

/** A step of a warm transfer: an event of one of the two calls. */
type Step = readonly [who: 'caller' | 'person', event: TwilioCallEvent['type']]

const beforeTheMove: readonly Step[] = [
  ['person', 'initiated'],
  ['person', 'ringing'],
  ['person', 'answered'],
  ['person', 'started'],
  ['person', 'speaks'],
  ['person', 'redirected'],
]

/** Plays a scene in which something happens once, at the moment of a step. */
function atStep(
  [who, event]: Step,
  act: (scene: WarmScene) => void,
  play: (scene: WarmScene, outcome: Promise<string>) => Promise<void>,
): Promise<void> {
  let now: (() => void) | undefined
  const onEvent = ({ type }: TwilioCallEvent): void => {
    if (type !== event || !now) return
    const acts = now
    now = undefined
    acts()
  }
  return warmScene(
    async (scene) => {
      now = () => act(scene)
      await play(
        scene,
        scene.transfer().catch(() => 'closed'),
      )
      expect(now).toBeUndefined()
    },
    { [who]: { onEvent } },
  )
}

describe('a warm transfer', () => {
  it('[TR5] gives the caller to the conference only after the person has joined it', () => {
    const order: string[] = []
    const note = (who: string) => ({
      onEvent: ({ type }: TwilioCallEvent): void => {
        if (type === 'redirected' || type === 'joins-conference') order.push(`${who} ${type}`)
      },
    })
    return warmScene(
      async ({ transfer, session, caller, desk }) => {
        expect(await transfer()).toBe('answered')
        expect(order).toEqual([
          'person redirected',
          'person joins-conference',
          'caller redirected',
          'caller joins-conference',
        ])
        expect(desk.calls[0]!.from).toBe(caller.to)
        await session.closed
        caller.hangUp()
        await desk.calls[0]!.gone()
      },
      { caller: note('caller'), person: note('person') },
    )
  })

  it.each([...beforeTheMove, ['person', 'joins-conference'] as const])(
    '[TR5] whose caller hangs up at the event %s %s ends the call to the person',
    (who, event) =>
      atStep(
        [who, event],
        ({ caller }) => caller.hangUp(),
        async ({ session, carrier, clock }, outcome) => {
          const report = await session.closed
          await outcome
          await clock.elapse(5_000)
          expect(carrier.live).toEqual([])
          expect(report).toMatchObject({ reason: 'caller-hung-up', transfers: [{ outcome: 'caller-gone' }] })
        },
      ),
  )

  it('[TR5] whose caller hangs up while the phone rings lets it ring no longer', () =>
    warmScene(
      async ({ transfer, session, caller, desk, carrier, clock }) => {
        transfer().catch(() => {})
        await carrier.until(() => desk.calls[0]?.state === 'ringing')
        caller.hangUp()
        await session.closed
        await clock.elapse(500)
        expect(states(desk.calls)).toEqual(['canceled'])
      },
      { person: { outcome: 'never' } },
    ))

  it.each([...beforeTheMove.slice(2), ['person', 'joins-conference'] as const])(
    '[TR5] whose person hangs up at the event %s %s brings the caller back to the agent',
    (who, event) =>
      atStep(
        [who, event],
        ({ desk }) => desk.calls[0]!.hangUp(),
        async ({ session, carrier, caller, clock, sessions }, outcome) => {
          expect(await outcome).toBe('declined')
          const before = caller.heardBytes
          await clock.elapse(5_000)
          expect(caller.heardBytes).toBeGreaterThan(before)
          expect([session.state, sessions.length]).toEqual(['live', 1])
          expect(states([...carrier.live])).toEqual(['in-progress'])
          await session.close()
          await caller.gone()
          expect(carrier.live).toEqual([])
        },
      ),
  )

  it.each(beforeTheMove)('[TR5] whose session is closed at the event %s %s ends both calls', (who, event) =>
    atStep(
      [who, event],
      ({ session }) => void session.close().catch(() => {}),
      async ({ session, carrier, clock }) => {
        const report = await session.closed
        expect(report.reason).toBe('requested')
        await clock.elapse(10_000)
        expect(carrier.live).toEqual([])
      },
    ),
  )

  it.each([
    ['caller', 'redirected'],
    ['caller', 'joins-conference'],
  ] as const)('[TR5] whose session is closed at the event %s %s lives on', (who, event) =>
    atStep(
      [who, event],
      ({ session }) => void session.close().catch(() => {}),
      async ({ session, carrier, clock, desk }) => {
        const report = await session.closed
        expect(report.transfers).toMatchObject([{ consultation: { clean: true } }])
        await clock.elapse(120_000)
        expect(states([...carrier.live])).toEqual(['in-progress', 'in-progress'])
        desk.calls[0]!.hangUp()
        await carrier.until(() => carrier.live.length === 0)
      },
    ),
  )

  it.each(beforeTheMove)('[TR5] whose server closes at the event %s %s ends both calls', (who, event) =>
    atStep(
      [who, event],
      ({ scope }) => void scope.close(),
      async ({ scope, carrier, session }) => {
        await session.closed
        const { clean } = await scope.close()
        expect([clean, carrier.live.length]).toEqual([true, 0])
      },
    ),
  )

  it('[TR5] finds room for the person on a full server, and does not wait behind other calls out', () =>
    warmScene(
      async ({ transfer, session, caller, desk, calls, carrier }) => {
        const other = carrier.person('+493098765', { outcome: 'never' })
        const attempt = calls.dial({ to: other.number, from: caller.to })
        expect(await transfer()).toBe('answered')
        await attempt.cancel()
        await session.closed
        caller.hangUp()
        await desk.calls[0]!.gone()
      },
      { maxCalls: 1, maxDials: 1, dialRate: 0.001 },
    ))

  it('[TR5] needs a number to show, and an account that can call', () =>
    warmScene(
      async ({ transfer, session, caller }) => {
        expect(await transfer()).toBe('failed')
        await session.close()
        const report = await session.closed
        expect(report.errors).toMatchObject([{ where: 'transfer', error: { code: 'TRANSFER_IMPOSSIBLE' } }])
        caller.hangUp()
        await caller.gone()
      },
      { authToken: undefined },
    ))
})
