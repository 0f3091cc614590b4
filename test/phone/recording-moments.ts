import type { RecordingChange } from '../../src/parts/index.ts'
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

/**
 * One life of a call that the carrier records. The session starts, pauses, resumes and stops the recording, and at a moment that the
 * seed chooses somebody ends the call. A change that counts as confirmed must have been made, a start is made once, and every
 * change has an outcome in bounded time.
 */
export async function recordingLife(
  scene: CarrierScene,
  random: SimRandom,
  story: string[],
  counts: Counts,
): Promise<void> {
  const { carrier, clock, scope, talk } = scene
  const act = random.pick(['nobody', 'caller', 'session', 'drain', 'scope', 'drop'] as const)
  const { caller, session } = await talk({ statusCallback: 'http://localhost:3000/phone/status' })
  beRude(scene, random, story)
  const changes: RecordingChange[] = ['start']
  for (let n = random.int(0, 3); n > 0; n--) changes.push(random.pick(['pause', 'pause', 'resume', 'stop']))
  let running = Promise.resolve()
  let open = 0
  for (const change of changes) {
    open++
    running = running
      .then(() => session.recordCall(change))
      .then((confirmed) => check(change, confirmed))
      .catch(() => {})
      .finally(() => open--)
  }
  const check = (change: RecordingChange, confirmed: boolean): void => {
    const status = carrier.recordings(caller).at(-1)?.status
    story.push(`${change} ${confirmed ? 'confirmed' : 'not confirmed'}, ${status ?? 'no recording'}`)
    const runs = status === 'in-progress'
    if (confirmed && !caller.over && runs !== (change === 'start' || change === 'resume')) {
      story.push('that is not true')
      counts.unreported++
    }
  }
  await clock.elapse(momentOf(random))
  story.push(`${clock.now()} ms: ${act}`)
  if (act === 'caller') caller.hangUp()
  if (act === 'session') session.close().catch(() => {})
  if (act === 'drain') session.drain().catch(() => {})
  const closing = act === 'scope' ? scope.close() : undefined
  if (act === 'drop') caller.drop()
  bePolite(scene, random, story)
  await clock.elapse(SOON)
  if (act === 'session' || act === 'scope') ringsOn(scene, story, counts)
  await clock.elapse(120_000)
  await closing
  await isSettled(running)
  if (open > 0) {
    story.push(`${open} changes have no outcome`)
    counts.unreported += open
  }
  const started = carrier.recordings(caller).length
  const stops = changes.filter((each) => each === 'stop').length
  if (started > 1 + stops) {
    story.push(`${started} recordings`)
    counts.unreported++
  }
  counts.ringsOn += findUnserved(scene).length
  await endEverything(scene, story, counts, false)
}
