import { fork } from 'node:child_process'
import { systemClock } from '../../src/scope/index.ts'
import type { Violation } from '../../src/testing/index.ts'
import type { Kind } from './hostile-life.ts'

export interface SeedResult {
  readonly seed: number
  readonly violations: readonly Violation[]
  readonly story: string
}

/** `parts` is in virtual time, `sockets` in real time. `all` has both. */
export const worlds = ['all', 'parts', 'sockets'] as const
export type World = (typeof worlds)[number]

/** Whether a seed is a life over real sockets. Those take a hundred times as long, so `all` has one in ten. */
export function isSocketSeed(seed: number, world: World): boolean {
  return world === 'sockets' || (world === 'all' && seed % 10 === 0)
}

export interface Totals extends Record<Kind, number> {
  seeds: number
}

/** How long one life may take in real time, in milliseconds. A life takes far less; this one has blocked its event loop. */
const FROZEN = 60_000

/** The kinds of the simulation's own rules. The life names its violations by their kind. */
const kinds: Readonly<Record<string, Kind>> = {
  SC9: 'crashes',
  SI2: 'crashes',
  life: 'crashes',
  SC2: 'freezes',
  SC18: 'freezes',
  SC15: 'untrue',
}

/** Runs lives in a child process. A life that blocks its process is counted, and the next process continues after it. */
export async function runSeeds(
  from: number,
  seeds: number,
  file: URL,
  onResult: (result: SeedResult) => void,
  frozen = FROZEN,
  world: World = 'all',
): Promise<Totals> {
  const totals: Totals = { seeds: 0, crashes: 0, freezes: 0, silent: 0, untrue: 0 }
  const take = (result: SeedResult): void => {
    totals.seeds++
    for (const kind of new Set(result.violations.map(({ rule }) => kinds[rule] ?? (rule as Kind))))
      totals[kind]++
    onResult(result)
  }
  for (let next = from; next < from + seeds;) {
    const last = await runUntilFrozen(next, from + seeds - next, file, take, frozen, world)
    next = last + 1
  }
  return totals
}

/** Returns the last seed that has a result. */
function runUntilFrozen(
  from: number,
  seeds: number,
  file: URL,
  take: (result: SeedResult) => void,
  frozen: number,
  world: World,
): Promise<number> {
  return new Promise((resolve) => {
    let seed = from
    const child = fork(file, [String(from), String(seeds), world], {
      execArgv: file.pathname.endsWith('.ts') ? ['--import', 'tsx'] : [],
    })
    const give = (rule: string, what: string): void => {
      timer.clear()
      child.removeAllListeners()
      child.kill('SIGKILL')
      take({ seed, violations: [{ rule, what }], story: '' })
      resolve(seed)
    }
    const watch = (ms: number) =>
      systemClock.after(ms, 'a hostile life', () => give('freezes', `no result for ${ms} ms`))
    // The first result includes the start of the process.
    let timer = watch(FROZEN)
    child.on('message', (message) => {
      const result = message as SeedResult
      timer.clear()
      take(result)
      if (seed === from + seeds - 1) {
        child.removeAllListeners()
        child.once('exit', () => resolve(seed))
        child.kill('SIGKILL')
        return
      }
      seed++
      timer = watch(frozen)
    })
    child.on('exit', (code) => give('crashes', `the process would have ended with ${code}`))
  })
}
