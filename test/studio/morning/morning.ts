import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Archive, outcomeOf } from '../../../src/host/archive.ts'
import { Directory } from '../../../src/host/fleet/directory.ts'
import { FleetDials } from '../../../src/host/fleet/fleet-dials.ts'
import type { Fleet } from '../../../src/host/fleet/fleet.ts'
import { FleetWrites } from '../../../src/host/fleet/fleet-writes.ts'
import { Operations } from '../../../src/host/fleet/operations.ts'
import { Logbook } from '../../../src/host/index.ts'
import { openJournal, type CallWrite, type Journal, type Owner } from '../../../src/host/journal/index.ts'
import type { StoredReport } from '../../../src/host/report-events.ts'
import { silentLogger, type LlmChunk } from '../../../src/parts/index.ts'
import { Scope } from '../../../src/scope/index.ts'
import { inVirtualTime, type LlmAnswer, type World } from '../../../src/testing/index.ts'
import { aCall } from '../../session/fixture.ts'
import { THINKS, desk, scenes, type Scene } from './scenes.ts'
import { murmurOf } from './murmur.ts'

const owner: Owner = { host: 'h1', worker: 'w1', address: '127.0.0.1:9' }

/** A Monday, at a quarter past seven. Virtual time begins on January 1, 2026. */
const MORNING = (4 * 24 + 7.25) * 3_600_000
/** Milliseconds between two calls. */
const PAUSE = 4 * 60_000

/** The id of the call of a scene. */
export const idOf = (scene: string): string =>
  createHash('sha256').update(scene).digest('base64url').replaceAll(/[-_]/g, 'x').slice(0, 12)

/** Makes the calls of a morning in virtual time, and leaves them in a journal and their sound in a folder, as a host does. */
export async function makeMorning(folder: string): Promise<void> {
  const recordings = recordingsIn(folder)
  mkdirSync(recordings, { recursive: true })
  const made: CallWrite[] = []
  await inVirtualTime(async (world) => {
    world.clock.jump(MORNING)
    for (const scene of scenes) {
      made.push(...(await play(world, scene, recordings)))
      await world.clock.elapse(PAUSE)
    }
  })
  const journal = await openJournal(folder)
  await journal.write(made)
  await journal.close()
}

export const recordingsIn = (folder: string): string => join(folder, 'recordings')

/** The journal of a morning, and what a host needs of it. Close the journal. */
export async function openMorning(
  folder: string,
  scope: Scope<string>,
): Promise<{ journal: Journal; fleet: Fleet }> {
  const journal = await openJournal(folder)
  const own = (): Owner => owner
  const directory = new Directory({ clock: scope.clock, journal, own })
  const writes = new FleetWrites({ scope, journal, logger: silentLogger })
  const dials = new FleetDials({ clock: scope.clock, journal, directory, own, writes })
  const archive = new Archive(journal)
  return { journal, fleet: { archive, directory, dials, writes, operations: new Operations({ journal }) } }
}

async function play(world: World, scene: Scene, recordings: string): Promise<CallWrite[]> {
  const { clock } = world
  const id = idOf(scene.name)
  const scope = new Scope('host', { clock })
  const logbook = new Logbook(scope)
  const { llm, ...options } = scene.options?.(clock) ?? {}
  const call = aCall(world, {
    id,
    agent: desk(),
    answers: scene.turns.flatMap(([, ...answers]) => answers).map(measured),
    llm: { firstAfter: THINKS, ...llm },
    stt: { finalOn: 'flush', closeTakes: 180 },
    tts: { firstAfter: 140, msPerCharacter: 55, closeTakes: 90 },
    closeTimeout: 5_000,
    prices: { llm: { inputTokens: 0.000_000_75, outputTokens: 0.000_004_5 }, tts: { characters: 0.000_03 } },
    priceList: { currency: 'USD', products: {} },
    ...options,
  })
  const openedAt = clock.date()
  const logged = logbook.add(call.session, { agent: 'reception', from: scene.from })
  call.session.on('approval', ({ id: tool }) => logged.approve(tool, false))
  await call.session.start()
  await clock.elapse(4_200)
  for (const [text] of scene.turns) {
    if (scene.from === 'browser') call.caller.types(text)
    else {
      await call.caller.says(text)
      await call.caller.pauses(2_500)
    }
    await clock.elapse(scene.pause ?? 8_500)
  }
  await (scene.ends ?? (({ caller }) => caller.hangsUp()))(call)
  const report = await call.session.closed
  const { events, summary } = logged
  const startedAt = Date.parse(report.startedAt!)
  const place = join(recordings, `${id}.wav`)
  writeFileSync(place, murmurOf(events, startedAt, report.lived))
  await scope.close()
  const stored: StoredReport = { ...report, timeline: events, recordings: [{ place, complete: true }] }
  const listed = { ...outcomeOf(stored), ...(summary.words === undefined ? {} : { words: summary.words }) }
  const line = scene.from === 'browser' ? 'browser' : 'phone'
  return [
    { type: 'open', call: { id, owner, agent: 'reception', line, from: scene.from, openedAt, work: [] } },
    { type: 'close', call: id, fence: 1, report: stored, summary: listed },
  ]
}

/** Adds a delay to an answer, and its tokens: the later the answer, the more the model has to read. */
function measured(answer: LlmAnswer, index: number): LlmAnswer {
  const usage: LlmChunk = { type: 'usage', usage: { inputTokens: 900 + 420 * index, outputTokens: 34 } }
  const steps = typeof answer === 'string' ? [answer] : answer
  return [{ wait: (index * 173) % 410 }, ...steps, usage]
}
