import { guard } from '../../src/guard/index.ts'
import '../../src/guard/install.ts'
import type { Measure } from '../bench.ts'
import { frames } from './frames.ts'
import { awaitCost, connectCost, timerCost, type Run } from './load.ts'
import { onNode24 } from './node-24.ts'

const bare: Run = (work) => work()

export const measure: Measure = async () => {
  // Before there is a guard: measures the hooks alone.
  const unusedTimer = await timerCost(bare)

  const call = guard({ name: 'bench' })
  const run: Run = (work) => call.run(work)
  const costs = { await: await awaitCost(run), timer: await timerCost(run), connect: await connectCost(run) }
  call.abort()
  return { unusedTimer, ...costs, ...(await frames()), ...(await onNode24('guarded')) }
}
