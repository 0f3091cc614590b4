import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { systemClock } from '../../src/scope/index.ts'
import { crash } from './crash-run.ts'
import type { Store } from './site.ts'
import { percentile, sum } from './verdict.ts'

const stores: Readonly<Record<string, readonly Store[]>> = {
  sqlite: ['sqlite'],
  postgres: ['postgres'],
  both: ['sqlite', 'postgres'],
}

await runCommand({
  name: 'npm run crash --',
  summary:
    'Kills hosts and their processes under phone and browser calls, at random and between any two writes to the journal,\n' +
    'freezes them, and takes their database and disk away. Every answered call must have one report, and its work done.',
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
    keep: { type: 'boolean', about: 'keep the data and the logs of the hosts' },
  },
  run: async ({ kills, store, seed = systemClock.date() % 1_000_000, lease, keep, json }) => {
    const chosen = stores[store]
    if (!chosen) {
      console.error(`Option '--store' must be sqlite, postgres or both, not '${store}'`)
      return exitCodes.misuse
    }
    const print = (line: string): void => {
      if (!json) console.log(line)
    }
    print(`seed ${seed}`)
    const { kills: killed, verdicts } = await crash({ stores: chosen, kills, seed, lease, keep, print })
    const lost = verdicts.flatMap((verdict) => verdict.lost)
    const problems = verdicts.flatMap((verdict) => verdict.problems)
    const adopted = verdicts.flatMap(({ adoptMs }) => adoptMs)
    const back = verdicts.flatMap(({ backMs }) => backMs)
    const doubledUnkeyed = sum(verdicts.map((verdict) => verdict.doubledUnkeyed))
    for (const each of lost) print(`lost: ${each}`)
    for (const each of problems) print(`wrong: ${each}`)
    print(`reports: ${verdicts.map(({ reasons }) => JSON.stringify(reasons)).join(' ')}`)
    print(`callers: ${verdicts.map(({ ends }) => JSON.stringify(ends)).join(' ')}`)
    print(
      `${back.length} callers were cut off and heard the agent again, after ${percentile(back, 0.5)} ms at the median and ` +
        `${percentile(back, 1)} ms at most (lease ${lease} ms)`,
    )
    const result = {
      kills: killed,
      calls: sum(verdicts.map(({ calls }) => calls)),
      lost: lost.length,
      reports: sum(verdicts.map(({ reports }) => reports)),
      doubled: sum(verdicts.map(({ doubled }) => doubled)),
      doubledUnkeyed,
      adoptMs: { p50: percentile(adopted, 0.5), p99: percentile(adopted, 0.99) },
    }
    console.log(JSON.stringify(result))
    return lost.length + doubledUnkeyed + problems.length === 0 ? exitCodes.ok : exitCodes.failed
  },
})
