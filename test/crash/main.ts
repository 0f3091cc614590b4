import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { systemClock } from '../../src/scope/index.ts'
import { blocked } from './blocked.ts'
import { crash, type CrashRunOptions } from './crash-run.ts'
import { rolling } from './rolling.ts'
import type { Store } from './site.ts'
import type { StageOptions } from './stage.ts'
import { percentile, sum } from './verdict.ts'

const stores: Readonly<Record<string, readonly Store[]>> = {
  sqlite: ['sqlite'],
  postgres: ['postgres'],
  both: ['sqlite', 'postgres'],
}

/** How late the others' sound may be beside a call that blocks the event loop, in milliseconds. */
const LATE = 1_000

await runCommand({
  name: 'npm run crash --',
  summary:
    'Kills hosts and their processes under phone and browser calls, at random and between any two writes to the journal,\n' +
    'freezes them, and takes their database and disk away. Every answered call must have one report, and its work done.\n' +
    'With --rolling, replaces three hosts under 50 phone calls: none may be dropped or refused. With --blocked, blocks the\n' +
    'event loop of one call in five ways, beside 20 others: they must go on, and the culprit must be named.',
  options: {
    kills: {
      type: 'number',
      about: 'how many kills, in all stores together',
      default: 60,
      range: [1, 100_000],
    },
    store: { type: 'string', about: 'sqlite, postgres or both', default: 'both' },
    seed: { type: 'number', about: 'chooses the faults (default: another one each time)' },
    lease: { type: 'number', about: 'the lease of a host, in milliseconds', default: 3_000 },
    rolling: { type: 'boolean', about: 'replace three hosts under 50 phone calls instead' },
    blocked: { type: 'boolean', about: 'block the event loop of one call in five ways instead' },
    keep: { type: 'boolean', about: 'keep the data and the logs of the hosts' },
  },
  run: async ({ kills, store, seed = systemClock.date() % 1_000_000, lease, keep, json, ...which }) => {
    if (process.platform !== 'linux') {
      console.error('npm run crash finds the processes of a host in /proc, and needs Linux')
      return exitCodes.failed
    }
    const chosen = stores[store]
    if (!chosen) {
      console.error(`Option '--store' must be sqlite, postgres or both, not '${store}'`)
      return exitCodes.misuse
    }
    const print = (line: string): void => {
      if (!json) console.log(line)
    }
    const stage: StageOptions = { seed, keep, print }
    if (which.rolling) return await runRolling(stage)
    if (which.blocked) return await runBlocked(stage)
    return await runCrash({ ...stage, stores: chosen, kills, lease })
  },
})

async function runCrash(options: CrashRunOptions): Promise<number> {
  const { print, seed, lease } = options
  print(`seed ${seed}`)
  const { kills, verdicts } = await crash(options)
  const lost = verdicts.flatMap((verdict) => verdict.lost)
  const problems = verdicts.flatMap(({ stuck, problems: others }) => [...stuck, ...others])
  const adopted = verdicts.flatMap(({ adoptMs }) => adoptMs)
  const back = verdicts.flatMap(({ backMs }) => backMs)
  const doubledUnkeyed = sum(verdicts.map((verdict) => verdict.doubledUnkeyed))
  for (const each of lost) print(`lost: ${each}`)
  for (const each of problems) print(`wrong: ${each}`)
  print(`reports: ${verdicts.map(({ reasons }) => JSON.stringify(reasons)).join(' ')}`)
  print(`callers: ${verdicts.map(({ ends }) => JSON.stringify(ends)).join(' ')}`)
  print(
    `${back.length} callers were cut off and heard the agent again, after ${percentile(back, 0.5)} ms at the median, ` +
      `${percentile(back, 0.99)} ms at the 99th percentile (lease ${lease} ms)`,
  )
  const result = {
    kills,
    calls: sum(verdicts.map(({ calls }) => calls)),
    lost: lost.length,
    reports: sum(verdicts.map(({ reports }) => reports)),
    doubled: sum(verdicts.map(({ doubled }) => doubled)),
    doubledUnkeyed,
    adoptMs: { p50: percentile(adopted, 0.5), p99: percentile(adopted, 0.99) },
  }
  console.log(JSON.stringify(result))
  return lost.length + doubledUnkeyed + problems.length === 0 ? exitCodes.ok : exitCodes.failed
}

async function runRolling(options: StageOptions): Promise<number> {
  const result = await rolling(options)
  console.log(JSON.stringify(result))
  const clean = result.codes.every((code) => code === 0)
  return result.dropped + result.busy === 0 && clean ? exitCodes.ok : exitCodes.failed
}

async function runBlocked(options: StageOptions): Promise<number> {
  const results = await blocked(options)
  const late = Math.max(...results.map(({ lateMs }) => lateMs))
  const dropped = sum(results.map((each) => each.dropped))
  const named = results.filter((each) => each.named).length
  const reported = results.filter((each) => each.reported).length
  const backMs = percentile(
    results.flatMap((each) => each.backMs),
    1,
  )
  const [cut, killed] = ['cut', 'killed'].map((how) => results.filter((each) => each.how === how).length)
  const kinds = results.length
  console.log(JSON.stringify({ kinds, cut, killed, named, reported, lateMs: late, backMs, dropped }))
  return late < LATE && named === kinds && dropped === 0 ? exitCodes.ok : exitCodes.failed
}
