import { wsNetwork } from '../../src/link/index.ts'
import { liveScopes, systemClock } from '../../src/scope/index.ts'
import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { runHangUps } from '../hang-ups/run-all.ts'
import { runInProcess, type Exit } from './run-in-process.ts'
import { allCases } from './cases.ts'
import { CLOSE_TIMEOUT } from './call.ts'
import { nameOf, runCase, type Case, type Outcome } from './run-case.ts'
import { table, type Row } from './table.ts'

/** Cases that run at the same time. They mostly wait. */
const CONCURRENCY = 6
/** Processes at the same time. They compute more than they wait. */
const PROCESSES = 3

/** How long to look for new connections after the last close: longer than the longest retry delay. */
const OBSERVATION = 6_000

await runCommand({
  name: 'npm run zombies --',
  summary:
    "Closes sessions on every vendor's protocol, over real sockets, in every phase of a connection. Checks on the vendor's\n" +
    'side that no connection outlives the deadline and none is opened later, and that the process exits on its own. Then ends\n' +
    'calls of RTVI clients in every way at every moment, and checks the report of each and what its client is left with.',
  options: {
    filter: { type: 'string', about: 'only cases whose name contains this', default: '' },
    all: {
      type: 'boolean',
      about: 'also end calls of RTVI clients over WebRTC, which takes two minutes',
    },
  },
  run: async ({ filter, all, json }) => {
    const cases = allCases().filter((one) => nameOf(one).includes(filter))
    const rows: Row[] = []
    const ends: (() => Promise<void>)[] = []
    const waiting = [...cases]
    const work = async (): Promise<void> => {
      for (let one = waiting.shift(); one; one = waiting.shift()) {
        const row = await rowOf(one)
        rows.push(row)
        if (row.outcome) ends.push(row.outcome.end)
        if (!json && process.stderr.isTTY) process.stderr.write(`\r${rows.length} of ${cases.length} …`)
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, work))
    const observed = new Promise<void>((resolve) => {
      systemClock.after(OBSERVATION, 'observation', resolve)
    })
    const calls = await runHangUps(filter, all)
    await observed
    const exits: Exit[] = []
    const alone = cases.filter(({ phase }) => phase === 'busy' || phase === 'backing off')
    const exit = async (): Promise<void> => {
      for (let one = alone.shift(); one; one = alone.shift()) exits.push(await runInProcess(one))
    }
    await Promise.all(Array.from({ length: PROCESSES }, exit))
    if (!json) console.log(table(rows, exits))
    for (const end of ends) await end()
    const left = [systemClock.timers, liveScopes, wsNetwork.sockets].flatMap((registry) => registry.list())
    const leaked =
      left.length +
      sum(rows.map(({ outcome }) => outcome?.leaked ?? 0)) +
      sum(calls.map((call) => call.leaked))
    const openedAfterClose = sum(rows.map(({ outcome }) => outcome?.openedAfterClose() ?? 0))
    const worstMs = Math.round(Math.max(0, ...rows.map(({ outcome }) => outcome?.took ?? 0)))
    const failed = [
      ...rows.flatMap(({ name, error }) => (error === undefined ? [] : [`${name}: ${error}`])),
      ...calls
        .filter(({ problems }) => problems.length > 0)
        .map((call) => `${call.name}: ${call.problems.join('; ')}`),
    ]
    const stuck = exits.filter(({ by }) => by !== 'itself')
    for (const each of failed) console.error(`✗ ${each}`)
    for (const { kind, name } of left) console.error(`✗ left behind: ${kind} '${name}'`)
    for (const { name, by } of stuck) console.error(`✗ ${name}: its process was ended by ${by}`)
    const summary = {
      cases: rows.length,
      calls: calls.length,
      leaked,
      openedAfterClose,
      worstMs,
      failed: failed.length,
    }
    if (json) console.log(JSON.stringify({ ...summary, processes: exits.length, stuck: stuck.length }))
    else
      console.log(
        `${rows.length} cases: ${leaked} connections left open, ${openedAfterClose} opened after the close, slowest ` +
          `close ${worstMs} of ${CLOSE_TIMEOUT} ms; ${exits.length - stuck.length} of ${exits.length} processes exited on their own; ` +
          `${calls.length} calls of clients ended, slowest ${Math.round(Math.max(0, ...calls.map(({ took }) => took)))} ms`,
      )
    const ok = leaked + openedAfterClose + failed.length + stuck.length === 0 && worstMs <= CLOSE_TIMEOUT
    return ok ? exitCodes.ok : exitCodes.failed
  },
})

async function rowOf(one: Case): Promise<Row> {
  const name = nameOf(one)
  try {
    const outcome: Outcome = await runCase(one)
    return { name, outcome }
  } catch (error) {
    return { name, error: error instanceof Error ? error.message : String(error) }
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0)
}
