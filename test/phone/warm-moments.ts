import type { TransferOutcome } from '../../src/parts/index.ts'
import type { SimRandom } from '../../src/testing/index.ts'
import type { TwilioCall } from '../../src/testing/servers/index.ts'
import type { CarrierScene } from '../lines/carrier-scene.ts'
import { DESK, modelsFor } from '../lines/warm-scene.ts'
import {
  SOON,
  bePolite,
  beRude,
  endEverything,
  findUnserved,
  isSettled,
  momentOf,
  personOf,
  type Counts,
} from './moment-parts.ts'

/** The steps of a warm transfer, as events of the two calls. The late ones are more interesting. */
const steps = {
  'person: ringing': 1,
  'person: answered': 1,
  'person: started': 1,
  'person: speaks': 1,
  'person: redirected': 3,
  'person: stream-ended': 2,
  'person: joins-conference': 4,
  'caller: redirected': 3,
  'caller: stream-ended': 2,
  'caller: joins-conference': 2,
} as const

/** Models with which the person accepts, mostly. */
export function warmModels(random: SimRandom, story: string[]): ReturnType<typeof modelsFor> {
  const decision = random.weighted({ accept_call: 6, decline_call: 1, nothing: 1 })
  story.push(decision)
  return modelsFor(decision)
}

/**
 * One warm transfer. At a moment or a step that the seed chooses, somebody ends it. Then nobody may be alone: neither a person
 * without the caller, nor a caller without the person or an agent.
 */
export async function warmLife(
  scene: CarrierScene,
  random: SimRandom,
  story: string[],
  counts: Counts,
): Promise<void> {
  const { carrier, clock, scope, talk, sessions } = scene
  const act = random.pick(['nobody', 'caller', 'person', 'session', 'session', 'drain', 'scope'] as const)
  const step = random.chance(0.6) ? random.weighted(steps) : undefined
  const delay = random.pick([0, 0, 1, 10, 100])
  let closing: Promise<unknown> | undefined
  let begun = false
  let acted = false
  /** Whether the two talk when somebody closes the session. */
  let talked = false
  /** Whether it is closed before the person has joined the conference: then both calls end. */
  let isEarly = false
  const doIt = (): void => {
    if (acted) return
    acted = true
    story.push(`${clock.now()} ms: ${act}`)
    talked = inConference(carrier.live).length === 2
    const joined = desk.calls.some(({ events }) => events.some(({ type }) => type === 'joins-conference'))
    isEarly = (act === 'session' || act === 'scope') && !joined
    if (act === 'caller') caller.hangUp()
    if (act === 'person') for (const call of desk.calls) call.hangUp()
    if (act === 'session') sessions[0]!.close().catch(() => {})
    if (act === 'drain') sessions[0]!.drain().catch(() => {})
    if (act === 'scope') closing = scope.close()
  }
  const on = (who: string) => (event: { readonly type: string }) => {
    if (begun && `${who}: ${event.type}` === step) clock.after(delay, 'somebody acts', doIt)
  }
  // Most of what is interesting happens after an answer.
  const answers = random.chance(0.7) ? { outcome: 'answers' as const } : {}
  const desk = carrier.person(DESK, { ...personOf(random, story), ...answers, onEvent: on('person') })
  const { caller, session } = await talk({ onEvent: on('caller') })
  begun = true
  story.push(step === undefined ? 'at a time' : `at ${step} + ${delay} ms`)
  beRude(scene, random, story)
  const transferring: Promise<TransferOutcome | 'closed'> = session
    .transfer({ to: DESK, how: 'warm', ringTimeout: random.pick([5_000, 20_000]), consultTimeout: 20_000 })
    .catch(() => 'closed' as const)
  if (step === undefined) {
    await clock.elapse(momentOf(random))
    doIt()
  }
  if (random.chance(0.5)) bePolite(scene, random, story)
  await clock.elapse(SOON)
  bePolite(scene, random, story)
  await clock.elapse(300_000)
  await closing
  if ('outcome' in answers) story.push('answers')
  const outcome = (await isSettled(transferring)) ? await transferring : 'no outcome'
  story.push(outcome)
  if (outcome === 'no outcome') counts.unreported++
  checkReport(scene, story, counts)
  for (const { sid, state, to } of isEarly ? carrier.live : findLonely(scene)) {
    story.push(`${sid === caller.sid ? 'the caller' : to} is ${state}${isEarly ? '' : ', alone'}`)
    counts.ringsOn++
  }
  const isOver = acted && (act === 'caller' || act === 'person')
  const goesOn = talked || (!acted && outcome === 'answered') || (act === 'nobody' && outcome === 'answered')
  if (!isOver && goesOn && carrier.live.length < 2) {
    story.push('the two were cut off')
    counts.cutOff++
  }
  await endEverything(scene, story, counts, false)
}

/** A person who was talked to is in the report. */
function checkReport({ reports, sessions }: CarrierScene, story: string[], counts: Counts): void {
  const [session] = sessions
  const report = reports.find(({ id }) => id === session!.id)
  for (const { outcome, consultation } of report?.transfers ?? []) {
    if (outcome !== 'answered' && outcome !== 'declined') continue
    if (consultation || outcome === 'declined') continue
    story.push('the conversation with the person is not reported')
    counts.unreported++
  }
}

const inConference = (calls: readonly TwilioCall[]): TwilioCall[] =>
  calls.filter(
    ({ events }) =>
      events.findLast(({ type }) => type === 'joins-conference' || type === 'leaves-conference')?.type ===
      'joins-conference',
  )

/** The calls at whose other end is nobody. */
function findLonely(scene: CarrierScene): TwilioCall[] {
  const { carrier } = scene
  const together = inConference(carrier.live)
  const unserved = findUnserved(scene)
  return carrier.live.filter((call) =>
    together.includes(call) ? together.length < 2 : unserved.includes(call),
  )
}
