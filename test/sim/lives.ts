import { BatchedDrain } from '../../src/testing/drain.ts'
import { simulate, type Life } from '../../src/testing/index.ts'
import type { WorldName } from './world-names.ts'
import { worlds } from './worlds.ts'

/** Some lives of a world, one seed after the other. */
export interface Range {
  readonly world: WorldName
  readonly from: number
  readonly seeds: number
  /** Whether to stop after the first life that breaks a rule. */
  readonly stop: boolean
  /** Whether to compute the hash of all lives. */
  readonly hash: boolean
}

/** A life that broke a rule. */
export type Failure = Pick<Life, 'seed' | 'hash' | 'story' | 'violations'>

export interface Lived {
  readonly lives: number
  readonly events: number
  readonly failures: readonly Failure[]
  /** Combines the hashes of all lives, in any order. Zero if it was not requested. */
  readonly hash: string
  /** CPU time in seconds. */
  readonly cpu: number
}

/** A broken rule fails in many seeds, and the stories of the first are enough. */
const STORIES = 3

/** The hash of two groups of lives together. */
export const combined = (one: string, other: string): string =>
  (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(16)

/** Lives have no real input or output. */
const { drain } = new BatchedDrain()

export async function live(range: Range, told: (life: Life) => void = () => {}): Promise<Lived> {
  const { world, from, seeds, stop } = range
  const began = process.cpuUsage()
  const failures: Failure[] = []
  let lives = 0
  let events = 0
  let hash = '0'
  for (let seed = from; seed < from + seeds; seed++) {
    const life = await simulate(seed, worlds[world], { drain })
    lives++
    events += life.events
    told(life)
    if (range.hash) hash = combined(hash, life.hash)
    if (life.violations.length === 0) continue
    const { violations } = life
    failures.push({ seed, hash: life.hash, violations, story: failures.length < STORIES ? life.story : '' })
    if (stop) break
  }
  const { user, system } = process.cpuUsage(began)
  return { lives, events, failures, hash, cpu: (user + system) / 1_000_000 }
}
