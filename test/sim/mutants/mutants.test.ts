import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { root } from '../../compile.ts'
import { compiled } from '../../compiled.ts'
import { mutants as explored } from '../../explore/mutants/mutants.ts'
import { worldNames, type WorldName } from '../world-names.ts'
import { mutants } from './index.ts'
import { seedsOf, simulate, simulateMutant } from './simulate-mutant.ts'

const all = [...Object.values(mutants).flat(), ...Object.values(explored).flat()]

/** A tenth of the lives is enough for the chosen mutants. `npm run sim` lives thousands without one. */
const livesOf = (world: WorldName): number => seedsOf[world] / 10

/** One of each world shows that mutants are noticed at all. `npm run mutants` runs every one. */
const chosen = worldNames.flatMap((world) =>
  mutants[world].slice(0, 1).map((mutant) => [mutant.name, mutant, world] as const),
)

describe('a mutant', () => {
  it.each(all.map((mutant) => [mutant.name, mutant] as const))(
    'breaks one place: %s',
    (_, { file, find }) => {
      const source = readFileSync(path.join(root, 'src', file), 'utf8')
      expect(source.split(find)).toHaveLength(2)
    },
  )
})

describe.concurrent('the simulation notices', () => {
  it.each(chosen)('%s', async (_, mutant, world) => {
    const { violations } = await simulateMutant(mutant, world, inject('programs'), livesOf(world))
    expect(violations).toBeGreaterThan(0)
  })

  it.each(worldNames)('no violation in the world %s without a mutant', async (world) => {
    const seeds = livesOf(world)
    expect(await simulate(compiled('sim'), world, seeds)).toMatchObject({ seeds, violations: 0 })
  })
})
