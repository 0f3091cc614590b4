import { Scope } from '../../src/scope/index.ts'
import type { Sample } from '../bench.ts'
import { perCall } from '../sampling.ts'
import { timeFamily, weighFamily, type Family } from './children.ts'
import { measureFrames } from './frames.ts'

const family: Family = async (count, children, live) => {
  const scope = new Scope('bench')
  for (let i = 0; i < count; i++) {
    scope.spawn('child', async ({ until }) => {
      children.begun()
      try {
        await until(new Promise(() => {}))
      } finally {
        children.ended()
      }
    })
  }
  await live()
  await closeClean(scope)
}

export async function measure(): Promise<Sample> {
  const times = await timeFamily(family)
  const empty = await perCall(() => closeClean(new Scope('empty')))
  const call = new Scope('call')
  const frames = await call.spawn('audio', ({ until }) => measureFrames(until)).result
  await closeClean(call)
  return { ...times, empty, ...frames, ...(await weighFamily(family)) }
}

/** Fails if the close is not clean, because a forced close has a different cost. */
async function closeClean(scope: Scope): Promise<void> {
  const report = await scope.close()
  if (!report.clean) throw new Error(`not a clean close: ${JSON.stringify(report)}`)
}
