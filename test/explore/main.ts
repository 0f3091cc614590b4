import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { ExplorationError } from '../../src/testing/index.ts'
import { root } from '../compile.ts'
import { machineNames, machines, type MachineName } from './machines.ts'
import { exploreMutant } from './mutants/explore-mutant.ts'
import { mutants } from './mutants/mutants.ts'

await runCommand({
  name: 'npm run explore --',
  summary:
    'Explores what can happen to the pure machines, in every order, and checks their rules in each state: also that a close ends ' +
    'from wherever it begins. `npm test` does so to smaller depths.',
  options: {
    machine: { type: 'string', about: `one machine only: ${machineNames.join(', ')}` },
    depth: { type: 'number', about: 'explore no stories with more events than this', range: [1, 1_000_000] },
    states: { type: 'number', about: 'explore no more states of a case than this', default: 300_000 },
    strict: { type: 'boolean', about: 'also check that the models tell states apart that differ' },
    mutants: {
      type: 'boolean',
      about: 'put known mistakes into copies of the machines, which must be noticed',
    },
  },
  run: async ({ machine: only, depth = Infinity, states: maxStates, strict, mutants: broken, json }) => {
    const chosen = machineNames.filter((name) => only === undefined || only === name)
    if (chosen.length === 0) {
      console.error(`There is no machine '${only}'. Use one of: ${machineNames.join(', ')}`)
      return exitCodes.misuse
    }
    const say = json ? () => {} : console.log
    if (broken) return exploreMutants(chosen, say)
    let states = 0
    let steps = 0
    let cases = 0
    const failed: string[] = []
    for (const machine of chosen) {
      for (const { name, explore } of machines[machine]) {
        cases++
        try {
          const found = explore({ maxDepth: depth, maxStates, strict })
          states += found.states
          steps += found.steps
          const extent = found.complete ? 'all' : `to depth ${found.depth}`
          const ends = found.endsWithin === undefined ? '' : `, ends within ${found.endsWithin} moves`
          say(`${machine}: ${name}: ${found.states} states, ${extent}${ends}`)
        } catch (error) {
          if (!(error instanceof ExplorationError)) throw error
          failed.push(`${machine}: ${name}`)
          say(`${machine}: ${name}: ${error.message}`)
        }
      }
    }
    console.log(JSON.stringify({ cases, states, steps, failed, ok: failed.length === 0 }))
    return failed.length === 0 ? exitCodes.ok : exitCodes.failed
  },
})

async function exploreMutants(chosen: readonly MachineName[], say: (line: string) => void): Promise<number> {
  const cache = join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  let count = 0
  const missed: string[] = []
  for (const machine of chosen) {
    for (const mutant of mutants[machine]) {
      count++
      const story = await exploreMutant(mutant, machine, cache)
      if (story === undefined) missed.push(mutant.name)
      say(`${machine}: ${mutant.name}: ${story === undefined ? 'NOT NOTICED' : story.split('\n')[0]}`)
    }
  }
  console.log(JSON.stringify({ mutants: count, missed, ok: missed.length === 0 }))
  return missed.length === 0 ? exitCodes.ok : exitCodes.failed
}
