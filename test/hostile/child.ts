import { simulate } from '../../src/testing/index.ts'
import { hostileLife } from './hostile-life.ts'
import type { SeedResult } from './run-seeds.ts'

/** Runs seeds in a process of its own, so that a life that blocks the event loop can be noticed and ended. */
const [from = 1, seeds = 1] = process.argv.slice(2).map(Number)
for (let seed = from; seed < from + seeds; seed++) {
  const { violations, story } = await simulate(seed, hostileLife, { maxEvents: 300_000 })
  const result: SeedResult = { seed, violations, story: violations.length > 0 ? story : '' }
  process.send!(result)
}
