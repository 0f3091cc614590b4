import { describe, expect, inject, it } from 'vitest'
import { machineNames } from '../machines.ts'
import { exploreMutant } from './explore-mutant.ts'
import { mutants } from './mutants.ts'

/** `npm run explore -- --mutants` explores every mutant. */
describe('exploring the machines', () => {
  it.each(machineNames.map((machine) => [mutants[machine][0]!.name, machine] as const))(
    '[EX3] notices that %s',
    async (_, machine) => {
      expect(await exploreMutant(mutants[machine][0]!, machine, inject('programs'))).toBeDefined()
    },
  )
})
