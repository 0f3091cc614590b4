import { explore, type Exploration, type ExploreOptions, type Model } from '../../src/testing/index.ts'

/** One exploration of a machine: with some settings, and some of what can happen to it. */
export interface Case {
  readonly name: string
  /** How many events its stories have at most in the tests. Default: no limit, all states are explored. */
  readonly depth: number
  readonly explore: (options?: ExploreOptions) => Exploration
}

export function caseOf<World, Event>(name: string, model: () => Model<World, Event>, depth = Infinity): Case {
  return { name, depth, explore: (options) => explore(model(), { maxDepth: depth, ...options }) }
}
