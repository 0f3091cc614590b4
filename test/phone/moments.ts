import type { TransferOutcome } from '../../src/parts/index.ts'
import { SimRandom } from '../../src/testing/index.ts'
import type { TwilioPersonOptions } from '../../src/testing/servers/index.ts'
import { answererOf, messageSession, pickupProblems, type Pickups } from './message-life.ts'
import { carrierScene, type CarrierScene } from '../lines/carrier-scene.ts'

/** What is wrong after one life of a call. */
export interface MomentOutcome {
  readonly seed: number
  readonly kind: 'dial' | 'transfer' | 'message'
  /** What was done, in order. */
  readonly story: readonly string[]
  readonly leaked: number
  readonly unreported: number
  /** Calls that ring or talk although somebody has ended them. */
  readonly ringsOn: number
  /** Calls that were ended although they should have gone on: a session does not end a call that it has handed over. */
  readonly cutOff: number
  readonly problem?: string
}

const DESK = '+4930123456'
const OURS = '+15550100'
const outcomes = { answers: 4, never: 4, busy: 1, 'no-answer': 1, rejects: 1, fails: 1 } as const

/**
 * One life of a call out, of a message for whoever answers, or of a transfer, in virtual time, with a carrier that is rude in ways that the seed chooses. At a moment
 * that the seed chooses, somebody ends it: the caller, the person, the session, the attempt, the server, or nobody. Then
 * everybody hangs up, and nothing may ring, be open or lack a report.
 */
export async function runMoment(seed: number): Promise<MomentOutcome> {
  const random = new SimRandom(seed)
  const kind = random.pick(['dial', 'transfer', 'message'] as const)
  const pickups: Pickups = new Map()
  const dialect = random.chance(0.5) ? 'twilio' : 'telnyx'
  const story = [`${kind} by ${dialect}`]
  const counts = { leaked: 0, unreported: 0, ringsOn: 0, cutOff: 0 }
  const play = (scene: CarrierScene): Promise<void> => {
    if (kind === 'message') return messageLife(scene, random, story, counts, pickups)
    return kind === 'dial'
      ? dialLife(scene, random, story, counts)
      : transferLife(scene, random, story, counts)
  }
  const session = kind === 'message' ? { session: messageSession(pickups) } : {}
  try {
    await carrierScene(play, { dialect, application: '12', dialRate: 10, ...session })
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    // What the world finds at its end: sockets, timers, scopes.
    return { seed, kind, story, ...counts, leaked: counts.leaked + 1, problem }
  }
  return { seed, kind, story, ...counts }
}

type Counts = { leaked: number; unreported: number; ringsOn: number; cutOff: number }

/** How long an end may take: until the carrier is polite again, and then all attempts to hang up. */
const SOON = 15_000

async function dialLife(
  scene: CarrierScene,
  random: SimRandom,
  story: string[],
  counts: Counts,
): Promise<void> {
  const { calls, carrier, clock, scope, sessions } = scene
  const desk = carrier.person(DESK, personOf(random, story))
  beRude(scene, random, story)
  const machines = random.chance(0.3) ? 'hang-up' : 'talk'
  const ringTimeout = random.pick([5_000, 120_000])
  const attempt = calls.dial({ to: DESK, from: OURS, machines, ringTimeout })
  await clock.elapse(momentOf(random))
  const act = random.pick(['nobody', 'cancel', 'cancel', 'person', 'session', 'scope'] as const)
  story.push(`${clock.now()} ms: ${act}`)
  if (act === 'cancel') attempt.cancel().catch(() => {})
  if (act === 'person') for (const call of desk.calls) call.hangUp()
  if (act === 'session') for (const session of sessions) session.close().catch(() => {})
  const closing = act === 'scope' ? scope.close() : undefined
  bePolite(scene, random, story)
  await clock.elapse(SOON)
  if (act === 'cancel' || act === 'scope') {
    // Where the carrier has said nothing at all, nobody can know that it rings.
    const known = attempt.id !== undefined
    const owned = act === 'cancel' && sessions.length > 0
    if (known && !owned) ringsOn(scene, story, counts)
  }
  await clock.elapse(300_000)
  await closing
  const outcome = (await isSettled(attempt.report)) ? (await attempt.report).outcome : 'no outcome'
  story.push(outcome)
  if (outcome === 'no outcome') counts.unreported++
  // Once somebody has answered, a session owns the call.
  const isOwned = outcome === 'answered'
  await endEverything(scene, story, counts, act === 'scope' || !isOwned)
}

async function transferLife(
  scene: CarrierScene,
  random: SimRandom,
  story: string[],
  counts: Counts,
): Promise<void> {
  const { carrier, clock, scope, talk } = scene
  const desk = carrier.person(DESK, personOf(random, story))
  const { caller, session } = await talk()
  beRude(scene, random, story)
  const say = random.chance(0.3) ? { say: 'I will connect you.' } : {}
  const transferring: Promise<TransferOutcome | 'closed'> = session
    .transfer({ to: DESK, ringTimeout: random.pick([5_000, 20_000]), ...say })
    .catch(() => 'closed' as const)
  await clock.elapse(momentOf(random))
  const act = random.pick(['nobody', 'caller', 'person', 'session', 'session', 'scope'] as const)
  story.push(`${clock.now()} ms: ${act}`)
  const handedOver = act === 'session' && desk.calls.some((call) => !call.over) && !caller.over
  if (act === 'caller') caller.hangUp()
  if (act === 'person') for (const call of desk.calls) call.hangUp()
  if (act === 'session') session.close().catch(() => {})
  const closing = act === 'scope' ? scope.close() : undefined
  bePolite(scene, random, story)
  await clock.elapse(SOON)
  if (handedOver && desk.options.outcome === 'answers' && caller.over) {
    story.push('the caller was cut off')
    counts.cutOff++
  }
  await clock.elapse(180_000)
  await closing
  if (!(await isSettled(transferring))) counts.unreported++
  else story.push(await transferring)
  await endEverything(scene, story, counts, false)
}

async function messageLife(
  scene: CarrierScene,
  random: SimRandom,
  story: string[],
  counts: Counts,
  pickups: Pickups,
): Promise<void> {
  const { calls, carrier, clock, scope, sessions } = scene
  const desk = carrier.person(DESK, answererOf(random, story))
  beRude(scene, random, story)
  const machines = random.pick(['tell', 'tell', 'talk'] as const)
  const attempt = calls.dial({ to: DESK, from: OURS, machines, ringTimeout: 20_000 })
  await clock.elapse(random.chance(0.5) ? momentOf(random) : random.int(0, 25_000))
  const act = random.pick(['nobody', 'nobody', 'cancel', 'person', 'session', 'scope'] as const)
  story.push(`${machines}, ${clock.now()} ms: ${act}`)
  if (act === 'cancel') attempt.cancel().catch(() => {})
  if (act === 'person') for (const call of desk.calls) call.hangUp()
  if (act === 'session') for (const session of sessions) session.close().catch(() => {})
  const closing = act === 'scope' ? scope.close() : undefined
  bePolite(scene, random, story)
  await clock.elapse(300_000)
  await closing
  const outcome = (await isSettled(attempt.report)) ? (await attempt.report).outcome : 'no outcome'
  if (outcome === 'no outcome') counts.unreported++
  // A session that has left its message has hung up.
  const left = [...pickups.values()].some(({ message }) => typeof message === 'object')
  await endEverything(scene, story, counts, act === 'scope' || left || outcome !== 'answered')
  const problems = pickupProblems(pickups, scene)
  story.push(outcome, ...Array.from(pickups.values(), (each) => JSON.stringify(each)), ...problems)
  counts.unreported += problems.length
}

/** Everybody hangs up. Then nothing may be left. `nothingRings`: nothing may ring or talk even before that. */
async function endEverything(
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

/** Counts the calls that ring or talk. */
function ringsOn({ carrier }: CarrierScene, story: string[], counts: Counts): void {
  for (const { state, to } of carrier.live) story.push(`${to} is ${state}`)
  counts.ringsOn += carrier.live.length
}

function personOf(random: SimRandom, story: string[]): TwilioPersonOptions {
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

function beRude({ carrier }: CarrierScene, random: SimRandom, story: string[]): void {
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
function bePolite({ carrier, clock }: CarrierScene, random: SimRandom, story: string[]): void {
  const ms = random.pick([0, 500, 2_000])
  story.push(`polite after ${ms} ms`)
  clock.after(ms, 'the carrier recovers', () => {
    carrier.rest.manners = {}
  })
}

/** Early moments are more interesting. */
function momentOf(random: SimRandom): number {
  return Math.round(random.pick([0, 10, 20, 300, 1_500, 2_000, 3_000, 20_000]) * (0.5 + random.next()))
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  promise.then(
    () => (settled = true),
    () => (settled = true),
  )
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  return settled
}
