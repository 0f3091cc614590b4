import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { Metrics } from '../../src/host/index.ts'
import { inVirtualTime, type World } from '../../src/testing/index.ts'
import { followed } from './fixture.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

async function called(world: World, metrics: Metrics): Promise<WeakRef<object>[]> {
  const { session } = followed(world, metrics)
  await session.start()
  await metrics.snapshot()
  const report = await session.close()
  return [new WeakRef(session), new WeakRef(report)]
}

it('[HO25] the metrics hold no closed session, and no report', () =>
  inVirtualTime(async (world) => {
    const metrics = new Metrics()
    const references = await called(world, metrics)
    for (let round = 0; round < 5; round++) {
      await world.clock.elapse(20_000)
      collect()
    }
    expect(references.map((each) => each.deref())).toEqual([undefined, undefined])
    expect(await metrics.snapshot()).not.toEqual([])
  }))
