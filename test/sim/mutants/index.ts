import { fallbackMutants } from './fallback-mutants.ts'
import { fleetMutants } from './fleet-mutants.ts'
import type { WorldName } from '../world-names.ts'
import type { Mutant } from './mutant.ts'
import { scopeMutants } from './scope-mutants.ts'
import { sessionMutants } from './session-mutants.ts'
import { supervisorMutants } from './supervisor-mutants.ts'

/**
 * Each of these is a bug that a voice framework has shipped or could ship, by the world of the simulation that must notice
 * it.
 */
export const mutants: Readonly<Record<WorldName, readonly Mutant[]>> = {
  scope: scopeMutants,
  session: sessionMutants,
  supervisor: supervisorMutants,
  fleet: fleetMutants,
  fallback: fallbackMutants,
}
