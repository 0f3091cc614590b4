import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { systemClock } from '../../src/scope/index.ts'
import { percentile } from '../crash/verdict.ts'
import type { Sample } from './samples.ts'
import { soak, type SoakResult } from './soak-run.ts'
import { judgeSoak } from './soak-verdict.ts'

const stores = { sqlite: 'sqlite', postgres: 'postgres' } as const

await runCommand({
  name: 'npm run soak --',
  summary:
    'Lets callers talk with a real host by phone and page for a long time. They interrupt, hang up at every moment and\n' +
    'vanish. The memory, handles and latency of the host must stay the same, and no call may be lost.',
  options: {
    minutes: { type: 'number', about: 'how long callers talk, in minutes', default: 60 },
    store: { type: 'string', about: 'sqlite or postgres', default: 'sqlite' },
    callers: { type: 'number', about: 'callers at once', default: 12, range: [1, 1_000] },
    seed: { type: 'number', about: 'chooses what callers do (default: another one each time)' },
    keep: { type: 'boolean', about: 'keep the data and the logs of the host' },
  },
  notes: [
    'The first fifth of the time, two minutes at most, warms up and does not count. Then all calls end, and what the host',
    'holds is the baseline for handles and live memory. Live memory is measured after a garbage collection.',
    'Slopes are least squares over the second half. Resident memory differs by some MB from sample to sample, so the slope',
    'of a short run is mostly noise, and its bound is wide: 20 MB/h and 40 MB over the second half together, which is about',
    '3,000 MB/h for 2 minutes and 120 MB/h for an hour. What a short run can prove is that live memory and handles return to the',
    'baseline when all calls have ended: 6 MB and 1 KB per caller, and 2 handles. Run an hour to trust a slope.',
    'The p95 of the time to the first sound and of replies may be 1.5 times as long in the last quarter as in the first, and',
    '100 ms; in runs under 15 minutes 2 times and 250 ms, because few calls and other load on the machine decide it.',
  ],
  run: async ({ minutes, store, callers, seed = systemClock.date() % 1_000_000, keep, json }) => {
    const chosen = stores[store as keyof typeof stores]
    if (chosen === undefined || !(minutes > 0)) {
      console.error("Option '--store' must be sqlite or postgres, and '--minutes' more than 0")
      return exitCodes.misuse
    }
    const print = (line: string): void => {
      if (!json) console.log(line)
    }
    print(`seed ${seed}`)
    const result = await soak({ store: chosen, minutes, callers, seed, keep, print })
    const verdict = judgeSoak(result)
    const { bounds, failures, latencyP95, keptPerCaller } = verdict
    const { measured, answered, begun } = result.talkers
    const p95 = (list: readonly { readonly ms: number }[]): number =>
      percentile(
        list.map(({ ms }) => ms),
        0.95,
      )
    print(`resident memory: ${signed(verdict.rssSlope)} MB/h (at most ${bounds.rssSlope.toFixed(0)})`)
    print(`live memory: ${signed(verdict.heapSlope)} MB/h (at most ${bounds.heapSlope.toFixed(0)})`)
    print(`live memory left: ${signed(keptPerCaller)} KB per caller (${byRole(result)})`)
    print(`handles left: ${verdict.handles} (at most ${bounds.handles})`)
    print(`latency p95: ${latencyP95.first} ms in the first quarter, ${latencyP95.last} ms in the last`)
    print(
      `p95: first sound ${p95(measured.first)} ms, reply ${p95(measured.reply)} ms, ` +
        `interrupted after ${p95(measured.interrupt)} ms; ${measured.late.length} sounds late, by ${p95(measured.late)} ms`,
    )
    for (const each of failures) print(`FAILED  ${each}`)
    const ok = failures.length === 0
    console.log(
      JSON.stringify({
        minutes,
        store,
        callers: begun,
        calls: answered.length,
        lost: result.lost,
        rssSlopeMBPerHour: rounded(verdict.rssSlope),
        heapSlopeMBPerHour: rounded(verdict.heapSlope),
        keptKBPerCaller: rounded(keptPerCaller),
        handles: verdict.handles,
        latencyP95Ms: latencyP95.last,
        lateSounds: measured.late.length,
        ok,
      }),
    )
    return ok ? exitCodes.ok : exitCodes.failed
  },
})

/** The live memory of each kind of process, before and after. */
function byRole({ before, after }: SoakResult): string {
  const live = ({ processes }: Sample, role: string): string =>
    processes
      .filter((each) => each.role === role)
      .reduce((sum, { heap, external }) => sum + (heap + external) / 2 ** 20, 0)
      .toFixed(1)
  return ['supervisor', 'calls', 'work']
    .map((role) => `${role} ${live(before, role)} to ${live(after, role)} MB`)
    .join(', ')
}

function signed(value: number): string {
  return `${value > 0 ? '+' : ''}${value.toFixed(1)}`
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
