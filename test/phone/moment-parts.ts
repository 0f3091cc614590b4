import type { SimRandom } from '../../src/testing/index.ts'
import type { TwilioCall, TwilioPersonOptions } from '../../src/testing/servers/index.ts'
import type { CarrierScene } from '../lines/carrier-scene.ts'

export type Counts = { leaked: number; unreported: number; ringsOn: number; cutOff: number }

/** How long an end may take: until the carrier is polite again, and then all attempts to hang up. */
export const SOON = 15_000

const outcomes = { answers: 4, never: 4, busy: 1, 'no-answer': 1, rejects: 1, fails: 1 } as const

/** Everybody hangs up. Then nothing may be left. `nothingRings`: nothing may ring or talk even before that. */
export async function endEverything(
  scene: CarrierScene,
  story: string[],
  counts: Counts,
  nothingRings: boolean,
): Promise<void> {
  const { carrier, clock, sessions, reports, calls } = scene
  if (nothingRings) ringsOn(scene, story, counts)
  for (const call of carrier.live) call.hangUp()
  await clock.elapse(60_000)
  const open = sessions.filter(({ state }) => state !== 'closed')
  if (open.length > 0) story.push(`${open.length} sessions open`)
  counts.leaked += open.length + calls.size
  const unreported = sessions.filter(
    ({ id, state }) => state === 'closed' && !reports.some((each) => each.id === id),
  )
  counts.unreported += unreported.length
}

/** The calls that no session serves, although they go on. */
export function findUnserved({ carrier, sessions, calls }: CarrierScene): TwilioCall[] {
  const isServed = ({ sid }: TwilioCall): boolean =>
    calls.has(sid) && sessions.some(({ id, state }) => id === sid && state === 'live')
  return carrier.live.filter((call) => !isServed(call))
}

/** Counts the calls that ring or talk. */
export function ringsOn({ carrier }: CarrierScene, story: string[], counts: Counts): void {
  for (const { state, to } of carrier.live) story.push(`${to} is ${state}`)
  counts.ringsOn += carrier.live.length
}

export function personOf(random: SimRandom, story: string[]): TwilioPersonOptions {
  const outcome = random.weighted(outcomes)
  const answersAfter = random.pick([0, 1_000, 4_000, 6_000])
  const isMachine = random.chance(0.2)
  const answersAtHangUp = random.chance(0.2)
  story.push(`person: ${outcome} after ${answersAfter} ms${isMachine ? ', a machine' : ''}`)
  return {
    outcome,
    answersAfter,
    ...(isMachine ? { machine: {} } : {}),
    ...(answersAtHangUp ? { answersAtHangUp } : {}),
  }
}

export function beRude({ carrier }: CarrierScene, random: SimRandom, story: string[]): void {
  const rest = random.pick([
    {},
    {},
    { answersAfter: random.int(1, 1_400) },
    { answersAfter: random.int(1, 3_000) },
    { answersWith: 500 },
    { answersWith: 'reset' },
    { delay: random.int(1, 3_000) },
    { status: 503 },
    { down: true },
    { redirectDelay: random.int(1, 3_000) },
  ] as const)
  const callbacks = {
    ...(random.chance(0.3) ? { repeats: 1 } : {}),
    ...(random.chance(0.3) ? { jitter: random.int(1, 5_000) } : {}),
    ...(random.chance(0.2) ? { loses: 0.5 } : {}),
  }
  carrier.rest.manners = rest
  carrier.callbacks = callbacks
  story.push(JSON.stringify({ rest, callbacks }))
}

/** A carrier that is down for ever can be asked for nothing. So it comes back, sooner or later. */
export function bePolite({ carrier, clock }: CarrierScene, random: SimRandom, story: string[]): void {
  const ms = random.pick([0, 500, 2_000])
  story.push(`polite after ${ms} ms`)
  clock.after(ms, 'the carrier recovers', () => {
    carrier.rest.manners = {}
  })
}

/** Early moments are more interesting. */
export function momentOf(random: SimRandom): number {
  return Math.round(random.pick([0, 10, 20, 300, 1_500, 2_000, 3_000, 20_000]) * (0.5 + random.next()))
}

export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  promise.then(
    () => (settled = true),
    () => (settled = true),
  )
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  return settled
}
