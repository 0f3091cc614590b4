import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Sample } from '../bench.ts'
import { median } from '../median.ts'
import type { Way } from './sessions.ts'

const ways: readonly Way[] = ['plain', 'unused', 'guarded']
/**
 * Fixes the size of the young generation. V8 would adjust it to what survives the start of the program, and the resulting
 * differences in memory locality are larger than what is measured here.
 */
const execArgv = ['--min-semi-space-size=16', '--max-semi-space-size=16']
const warmUp = 2_000
const stretch = 300
const turns = 15
const generations = 3

/**
 * The cost of a frame in a guard, and how much more that is than without a guard, in percent.
 *
 * Each way has its own process, on the current Node. The processes take turns of less than a second, so that other load on
 * the machine affects all of them. The JIT's result differs from one process to the next by more than what is measured, so
 * there are several generations of processes. The result is the median of all turns.
 */
export async function frames(): Promise<Sample> {
  const costs: Turn[] = []
  for (let n = 0; n < generations; n++) costs.push(...(await generation()))
  const medianOf = (of: (turn: Turn) => number): number => median(costs.map(of))
  return {
    frame: medianOf(({ guarded }) => guarded),
    more: medianOf(({ plain, guarded }) => (guarded / plain - 1) * 100),
    unused: medianOf(({ plain, unused }) => (unused / plain - 1) * 100),
  }
}

/** Microseconds per frame, for each way. */
type Turn = Record<Way, number>

async function generation(): Promise<Turn[]> {
  const file = fileURLToPath(new URL('sessions.js', import.meta.url))
  const all = ways.map((way) => ({ way, talking: fork(file, [way], { execArgv }) }))
  try {
    await Promise.all(all.map(({ talking }) => once(talking, 'message')))
    for (const { talking } of all) await cost(talking, warmUp)
    const costs: Turn[] = []
    for (let turn = 0; turn < turns; turn++) {
      const taken: Turn = { plain: 0, unused: 0, guarded: 0 }
      // Another process goes first each time.
      for (let n = 0; n < all.length; n++) {
        const { way, talking } = all[(turn + n) % all.length]!
        taken[way] = await cost(talking, stretch)
      }
      costs.push(taken)
    }
    return costs
  } finally {
    for (const { talking } of all) talking.disconnect()
  }
}

async function cost(talking: ChildProcess, ms: number): Promise<number> {
  talking.send(ms)
  const [took] = (await once(talking, 'message')) as [number]
  return took
}
