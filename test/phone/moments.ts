import type { TransferOutcome } from '../../src/parts/index.ts'
import { SimRandom } from '../../src/testing/index.ts'
import { answererOf, messageSession, pickupProblems, type Pickups } from './message-life.ts'
import { carrierScene, type CarrierScene } from '../lines/carrier-scene.ts'
import { keyLife } from './key-moments.ts'
import {
  SOON,
  bePolite,
  beRude,
  endEverything,
  isSettled,
  momentOf,
  personOf,
  ringsOn,
  type Counts,
} from './moment-parts.ts'
import { recordingLife } from './recording-moments.ts'
import { warmLife, warmModels } from './warm-moments.ts'

const lives = {
  dial: dialLife,
  transfer: transferLife,
  message: messageLife,
  'warm transfer': warmLife,
  keys: keyLife,
  recording: recordingLife,
}

type Kind = keyof typeof lives

/** How often each kind of life is lived. Warm transfers have the most steps. */
const kinds: Readonly<Record<Kind, number>> = {
  dial: 2,
  transfer: 2,
  message: 2,
  'warm transfer': 4,
  keys: 2,
  recording: 1,
}

/** What is wrong after one life of a call. */
export interface MomentOutcome {
  readonly seed: number
  readonly kind: Kind
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

/**
 * One life of a call out, of a message for whoever answers, of a transfer, cold or warm, of keys that the carrier presses, or of a
 * recording at the carrier, in virtual time, with a carrier that is rude in ways that the seed chooses. At a moment that the seed chooses, somebody ends it: the caller, the person, the session, the attempt, the server, or nobody. Then
 * everybody hangs up, and nothing may ring, be open or lack a report.
 */
export async function runMoment(seed: number): Promise<MomentOutcome> {
  const random = new SimRandom(seed)
  const kind = random.weighted(kinds)
  const pickups: Pickups = new Map()
  const dialect = random.chance(0.5) ? 'twilio' : 'telnyx'
  const story = [`${kind} by ${dialect}`]
  const counts = { leaked: 0, unreported: 0, ringsOn: 0, cutOff: 0 }
  const play = (scene: CarrierScene): Promise<void> => lives[kind](scene, random, story, counts, pickups)
  const models = kind === 'warm transfer' ? { session: { models: warmModels(random, story) } } : {}
  const messages = kind === 'message' ? { session: messageSession(pickups) } : {}
  const keys = kind === 'keys' ? { keys: 'carrier' as const } : {}
  try {
    await carrierScene(play, { dialect, application: '12', dialRate: 10, ...models, ...messages, ...keys })
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    // What the world finds at its end: sockets, timers, scopes.
    return { seed, kind, story, ...counts, leaked: counts.leaked + 1, problem }
  }
  return { seed, kind, story, ...counts }
}

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
  const act = random.pick(['nobody', 'caller', 'person', 'session', 'session', 'drain', 'scope'] as const)
  story.push(`${clock.now()} ms: ${act}`)
  const handedOver = act === 'session' && desk.calls.some((call) => !call.over) && !caller.over
  if (act === 'caller') caller.hangUp()
  if (act === 'person') for (const call of desk.calls) call.hangUp()
  if (act === 'session') session.close().catch(() => {})
  if (act === 'drain') session.drain().catch(() => {})
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
