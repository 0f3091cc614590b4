import type { ReceptionOptions } from '../host/index.ts'
import { breakable } from './breakable.ts'
import { FaultSwitches } from './fault-switches.ts'

/** The options of a reception whose page can inject faults. */
export function injectedFaults(): Pick<ReceptionOptions, 'faults' | 'prepare'> {
  const faults = new FaultSwitches()
  return {
    faults,
    prepare: ({ agent, models }) => {
      let breakModel = (): void => {}
      const broken = breakable(models, (breakConnection) => (breakModel = breakConnection))
      return { models: broken, ...faults.afflict({ agent, breakModel: () => breakModel() }) }
    },
  }
}
