import type { Measure } from '../bench.ts'
import { awaitCost, connectCost, timerCost, type Run } from './load.ts'
import { onNode24 } from './node-24.ts'

const bare: Run = (work) => work()

/** The same work in the same order, without a guard and without the hooks. */
export const measure: Measure = async () => ({
  unusedTimer: await timerCost(bare),
  await: await awaitCost(bare),
  timer: await timerCost(bare),
  connect: await connectCost(bare),
  ...(await onNode24('plain')),
})
