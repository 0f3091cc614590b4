import type { PressOutcome } from '../../src/session/index.ts'
import type { SimRandom } from '../../src/testing/index.ts'
import type { CarrierScene } from '../lines/carrier-scene.ts'
import {
  SOON,
  bePolite,
  beRude,
  endEverything,
  findUnserved,
  isSettled,
  momentOf,
  ringsOn,
  type Counts,
} from './moment-parts.ts'

/** The steps of keys that a document presses, as events of the call. */
const steps = ['redirected', 'stream-ended', 'hears-keys', 'told-more', 'connected', 'started'] as const

/**
 * One life of a call whose carrier presses keys. At a moment or a step that the seed chooses, somebody ends it. No key may be
 * pressed twice, keys that count as pressed must have been, and the call must not be left without a session.
 */
export async function keyLife(
  scene: CarrierScene,
  random: SimRandom,
  story: string[],
  counts: Counts,
): Promise<void> {
  const { clock, scope, talk } = scene
  const act = random.pick(['nobody', 'nobody', 'caller', 'session', 'drain', 'scope', 'drop'] as const)
  const step = random.chance(0.6) ? random.pick(steps) : undefined
  const delay = random.pick([0, 0, 1, 10, 100])
  const keysDelay = random.pick([0, 0, 0, 500, 12_000, 'never'] as const)
  const leaves = random.pick(['politely', 'politely', 'without-stop', 'cut'] as const)
  let begun = false
  let acted = false
  let closing: Promise<unknown> | undefined
  const doIt = (): void => {
    if (acted) return
    acted = true
    story.push(`${clock.now()} ms: ${act}`)
    if (act === 'caller') caller.hangUp()
    if (act === 'session') session.close().catch(() => {})
    if (act === 'drain') session.drain().catch(() => {})
    if (act === 'scope') closing = scope.close()
    if (act === 'drop') caller.drop()
  }
  const { caller, session } = await talk({
    keysDelay,
    leaves,
    statusCallback: 'http://localhost:3000/phone/status',
    onEvent: ({ type }) => {
      if (begun && type === step) clock.after(delay, 'somebody acts', doIt)
    },
  })
  begun = true
  story.push(
    `keys + ${keysDelay} ms, leaves ${leaves}`,
    step === undefined ? 'at a time' : `at ${step} + ${delay} ms`,
  )
  beRude(scene, random, story)
  const keys = ['1', '2ww3', '4'].slice(0, random.int(1, 3))
  const presses = keys.map((each) => session.press(each))
  const transfer = random.chance(0.2) ? session.transfer({ to: '+4930123456' }) : undefined
  if (step === undefined) {
    await clock.elapse(momentOf(random))
    doIt()
  }
  bePolite(scene, random, story)
  await clock.elapse(SOON)
  // A session that is closed while its caller is handed over does not end the call.
  const endsCall = act === 'scope' || (act === 'session' && !transfer)
  if (acted && endsCall) ringsOn(scene, story, counts)
  await clock.elapse(120_000)
  await closing
  const outcomes: PressOutcome[] = []
  for (const press of presses) {
    if (await isSettled(press)) outcomes.push(await press)
    else counts.unreported++
  }
  if (transfer && !(await isSettled(transfer))) counts.unreported++
  const heard = caller.events.map((event) => (event.type === 'hears-keys' ? event.digits : '')).join('')
  // A carrier that has taken the keys of a call may lose the caller before it presses them.
  const pressed = act === 'caller' ? [] : outcomes.filter(({ how }) => how === 'played')
  const problems = problemsOf(keys, pressed, heard)
  const lonely = findUnserved(scene)
  for (const { state } of lonely) story.push(`the call is ${state}, without a session`)
  counts.ringsOn += lonely.length
  counts.unreported += problems.length
  story.push(outcomes.map((each) => `${each.how} ${each.keys}`).join(', '), `heard ${heard}`, ...problems)
  await endEverything(scene, story, counts, false)
}

/** What is wrong with what the session says about its keys. */
function problemsOf(keys: readonly string[], presses: readonly PressOutcome[], heard: string): string[] {
  const problems: string[] = []
  const all = keys.join('').replaceAll('w', '')
  for (const key of all)
    if (heard.split(key).length > 2)
      problems.push(`the key ${key} was pressed ${heard.split(key).length - 1} times`)
  for (const { keys: pressed } of presses)
    if (!heard.includes(pressed.replaceAll('w', '')))
      problems.push(`${pressed} counts as pressed, and was not`)
  return problems
}
