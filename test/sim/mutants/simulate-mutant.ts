import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Plugin } from 'vite'
import { root } from '../../compile.ts'
import { compileSim, fast } from '../compile-sim.ts'
import type { WorldName } from '../world-names.ts'
import type { Mutant } from './mutant.ts'

const run = promisify(execFile)

/** How many lives each world gets to notice a mutant. */
export const seedsOf: Readonly<Record<WorldName, number>> = {
  scope: 800,
  session: 150,
  supervisor: 1_200,
  fleet: 300,
  fallback: 500,
}

export interface Summary {
  readonly seeds: number
  readonly violations: number
}

/** Runs the compiled simulation, and returns its summary. */
export async function simulate(program: string, world: WorldName, seeds: number): Promise<Summary> {
  const args = [...fast, program, '--world', world, '--seeds', String(seeds), '--stop', '--json']
  const { stdout } = await run(process.execPath, args, { timeout: 250_000 }).catch(
    // The simulation exits with 1 when a rule is broken. It has printed its summary by then.
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
  )
  const lastLine = stdout.trim().split('\n').at(-1) ?? ''
  return JSON.parse(lastLine) as Summary
}

/** Simulates the code, broken as the mutant says. Compiles it below `parent`, from which Node must find `node_modules`. */
export async function simulateMutant(
  mutant: Mutant,
  world: WorldName,
  parent: string,
  seeds = seedsOf[world],
): Promise<Summary> {
  const folder = await mkdtemp(path.join(parent, 'mutant-'))
  try {
    return await simulate(await compileSim(world, folder, [breaking(mutant)]), world, seeds)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Replaces the mutant's text in the one file that has it. */
export function breaking({ name, file, find, replace }: Mutant): Plugin {
  const broken = path.posix.join(root.replaceAll('\\', '/'), 'src', file)
  let places = 0
  return {
    name: 'mutant',
    enforce: 'pre',
    transform(source, id) {
      if (id !== broken) return undefined
      places = source.split(find).length - 1
      return source.replace(find, () => replace)
    },
    buildEnd(error) {
      if (!error && places !== 1)
        throw new Error(`mutant '${name}': its text is found ${places} times in ${file}, not once`)
    },
  }
}
