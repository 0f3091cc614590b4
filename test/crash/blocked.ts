import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openJournal } from '../../src/host/index.ts'
import { systemClock } from '../../src/scope/index.ts'
import { BrowserCaller } from './browser-caller.ts'
import type { PhoneCaller } from './phone-caller.ts'
import type { Site } from './site.ts'
import { Stage, type StageOptions } from './stage.ts'

/** What became of the calls beside one that blocked its event loop. */
export interface BlockedResult {
  readonly kind: string
  /** `cut`: the culprit was stopped. `killed`: its process was. */
  readonly how: 'cut' | 'killed' | 'not noticed'
  /** The function and the line that the log names, and whether they are right. */
  readonly culprit: string
  readonly named: boolean
  /** The same for the report of the call. */
  readonly reported: boolean
  /** Other calls. */
  readonly calls: number
  /** The longest silence in a call that kept its process, in milliseconds. */
  readonly lateMs: number
  /** Calls that lost their process with it, and when each of them heard the agent again, in milliseconds. */
  readonly backMs: readonly number[]
  /** Calls that ended because of it. */
  readonly dropped: number
}

const blocks = fileURLToPath(new URL('../host/supervisor/blocks.mjs', import.meta.url))

/** Ways to block an event loop, each with the function and the line that is to be named. */
const kinds = [
  ['loop', 'for (;;)'],
  ['regex', '.test('],
  ['atomics', 'Atomics.wait'],
  ['exec', 'execSync('],
  ['pbkdf2', 'pbkdf2Sync('],
] as const

const CALLS = 20
const PATIENCE = 60_000
/** How long the other calls are watched after the block was noticed, in milliseconds. */
const WATCH = 6_000

/** Blocks the event loop of one call in every way, beside others. */
export async function blocked(options: StageOptions): Promise<BlockedResult[]> {
  await using stage = await Stage.open(options)
  const site = await stage.site('b', 'sqlite', {
    hosts: 1,
    agentFile: stage.program('blocking-agent'),
    env: { CRASH_BLOCKS: blocks },
    serve: { workers: 2, lease: 15_000 },
  })
  site.start()
  if (!(await stage.until(PATIENCE, 'the host is up', () => site.hosts.every(({ up }) => up))))
    throw new Error('the host did not start')
  const watched: { readonly call: string; readonly result: BlockedResult }[] = []
  for (const [kind, text] of kinds) {
    const each = await block(stage, site, kind, lineOf(text))
    watched.push(each)
    const { how, culprit, lateMs, backMs, dropped } = each.result
    stage.print(
      `${kind}: ${how}, ${culprit}; others late by ${lateMs} ms, ${backMs.length} came back, ${dropped} dropped`,
    )
  }
  await site.stop(PATIENCE)
  return await withReports(site, watched)
}

async function block(
  stage: Stage,
  site: Site,
  kind: string,
  line: number,
): Promise<{ call: string; result: BlockedResult }> {
  const crowd = site.call({ size: CALLS, phones: 1, lifetime: [PATIENCE, PATIENCE] })
  const culprit = new BrowserCaller({
    url: site.front.url,
    lifetime: PATIENCE,
    types: '',
    changed: () => stage.changes.notify(),
  })
  await stage.until(PATIENCE, 'all talk', () => crowd.talking.length === CALLS && culprit.answered)
  crowd.stop()
  const others = crowd.talking as readonly PhoneCaller[]
  const before = logOf(site).length
  for (const caller of others) caller.gaps.length = 0
  culprit.type(kind)
  const call = culprit.id
  const found = await noticed(stage, site, before)
  await stage.until(WATCH, 'the others go on', () => false)
  const kept = others.filter(({ outages }) => outages.length === 0)
  const back = others.flatMap(({ outages }) => outages)
  const result: BlockedResult = {
    kind,
    how: found?.how === 'stuck' ? 'killed' : found?.how === 'cut' ? 'cut' : 'not noticed',
    culprit: found?.culprit ?? 'nothing',
    named: found?.culprit === `${kind} (${blocks}:${line})`,
    reported: false,
    calls: others.length,
    lateMs: Math.round(Math.max(0, ...kept.flatMap(({ gaps }) => gaps))),
    backMs: back.flatMap(({ from, until }) => (until === undefined ? [] : [Math.round(until - from)])),
    dropped:
      others.filter(({ over }) => over).length + back.filter(({ until }) => until === undefined).length,
  }
  crowd.hangUp()
  culprit.hangUp()
  await stage.until(PATIENCE, 'all have hung up', () => crowd.present.length === 0 && culprit.over)
  return { call, result }
}

interface Found {
  readonly how: string
  readonly culprit: string
}

/** Waits until the log of the host says that an event loop is blocked. */
async function noticed(stage: Stage, site: Site, from: number): Promise<Found | undefined> {
  const until = systemClock.now() + 15_000
  for (;;) {
    const line = logOf(site)
      .slice(from)
      .split('\n')
      .find((each) => each.includes('an event loop is blocked'))
    if (line !== undefined) return JSON.parse(line) as Found
    if (systemClock.now() > until) return undefined
    await stage.until(100, 'the log', () => false)
  }
}

async function withReports(
  site: Site,
  watched: readonly { readonly call: string; readonly result: BlockedResult }[],
): Promise<BlockedResult[]> {
  const journal = await openJournal(site.journal)
  try {
    const results: BlockedResult[] = []
    for (const { call, result } of watched) {
      const report = JSON.stringify((await journal.report(call)) ?? {})
      results.push({ ...result, reported: report.includes(`${result.kind} (${blocks}`) })
    }
    return results
  } finally {
    await journal.close()
  }
}

const logOf = (site: Site): string => readFileSync(site.hosts[0]!.logFile, 'utf8')

function lineOf(text: string): number {
  return (
    readFileSync(blocks, 'utf8')
      .split('\n')
      .findIndex((line) => line.includes(text)) + 1
  )
}
