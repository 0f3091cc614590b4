import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes, runCommand } from '../../../src/cli/command.ts'
import { root } from '../../compile.ts'
import { isWorld, worldNames } from '../world-names.ts'
import { mutants } from './index.ts'
import { simulateMutant } from './simulate-mutant.ts'

await runCommand({
  name: 'npm run mutants --',
  summary:
    'Puts known mistakes into copies of the code, one at a time, and simulates each copy: the simulation must notice all of ' +
    'them. `npm test` does so for one of each world.',
  options: {
    world: { type: 'string', about: `one world only: ${worldNames.join(', ')}` },
  },
  run: async ({ world: only, json }) => {
    if (only !== undefined && !isWorld(only)) {
      console.error(`There is no world '${only}'. Use one of: ${worldNames.join(', ')}`)
      return exitCodes.misuse
    }
    const cache = join(root, 'node_modules', '.cache')
    mkdirSync(cache, { recursive: true })
    let count = 0
    const missed: string[] = []
    for (const world of worldNames) {
      if (only !== undefined && only !== world) continue
      for (const mutant of mutants[world]) {
        const { seeds, violations } = await simulateMutant(mutant, world, cache)
        count++
        if (violations === 0) missed.push(mutant.name)
        const said = violations === 0 ? 'NOT NOTICED' : `noticed by life ${seeds}`
        if (!json) console.log(`${world}: ${mutant.name}: ${said}`)
      }
    }
    console.log(JSON.stringify({ mutants: count, missed }))
    return missed.length === 0 ? exitCodes.ok : exitCodes.failed
  },
})
