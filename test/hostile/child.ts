import { simulate } from '../../src/testing/index.ts'
import { hostileLife } from './hostile-life.ts'
import { hostileSockets } from './hostile-sockets.ts'
import { isSocketSeed, type SeedResult, type World } from './run-seeds.ts'

/** Runs seeds in a process of its own, so that a life that blocks the event loop can be noticed and ended. */
const [from = 1, seeds = 1] = process.argv.slice(2, 4).map(Number)
const world = process.argv[4] as World
for (let seed = from; seed < from + seeds; seed++) {
  const { violations, story } = isSocketSeed(seed, world)
    ? await hostileSockets(seed)
    : await simulate(seed, hostileLife, { maxEvents: 300_000 })
  const result: SeedResult = { seed, violations, story: violations.length > 0 ? story : '' }
  process.send!(result)
}
