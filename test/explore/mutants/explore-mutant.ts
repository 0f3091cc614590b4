import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { compile } from '../../compile.ts'
import type { Mutant } from '../../sim/mutants/mutant.ts'
import { breaking } from '../../sim/mutants/simulate-mutant.ts'
import type { MachineName, machines } from '../machines.ts'

/** A broken machine may have states without end. */
const MAX_STATES = 50_000

/**
 * Explores a machine, broken as the mutant says. Returns the story that breaks a rule, or undefined if the mutant was not
 * noticed. Compiles it below `parent`, from which Node must find `node_modules`.
 */
export async function exploreMutant(
  mutant: Mutant,
  machine: MachineName,
  parent: string,
): Promise<string | undefined> {
  const folder = await mkdtemp(path.join(parent, 'mutant-'))
  try {
    const entry = `test/explore/${machine}/${machine}-cases.ts`
    await compile({ entries: { cases: entry }, folder, plugins: [breaking(mutant)] })
    const broken = (await import(pathToFileURL(path.join(folder, 'cases.js')).href)) as Readonly<
      Record<string, (typeof machines)[MachineName]>
    >
    for (const { explore } of broken[`${machine}Cases`]!) {
      try {
        explore({ maxStates: MAX_STATES })
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    }
    return undefined
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
