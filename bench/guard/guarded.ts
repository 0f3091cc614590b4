import { guard, outside } from '../../src/guard/index.ts'
import '../../src/guard/install.ts'
import type { Measure } from '../bench.ts'
import { awaitCost, connectCost, frameCost, timerCost, type Run } from './load.ts'
import { onNode24 } from './node-24.ts'

const bare: Run = (work) => work()

export const measure: Measure = async () => {
  // Before there is any guard: the hooks alone.
  const unusedTimer = await timerCost(bare)
  const unused = await frameCost(() => bare)

  const call = guard({ name: 'bench' })
  const run: Run = (work) => call.run(work)
  const costs = { await: await awaitCost(run), timer: await timerCost(run), connect: await connectCost(run) }
  call.abort()

  const calls = Array.from({ length: 200 }, (_, n) => guard({ name: `call ${n}` }))
  const frame = await outside(() => frameCost((n) => (work) => calls[n]!.run(work)))
  for (const each of calls) each.abort()
  return { unusedTimer, unused, ...costs, frame, ...(await onNode24('guarded')) }
}
