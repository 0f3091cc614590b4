import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { Link, type LinkConnection, type Protocol } from '../../src/link/index.ts'
import { inVirtualTime, partContext, type World } from '../../src/testing/index.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What a careless provider never lets go of. */
const kept: unknown[] = []

async function useAndClose(world: World): Promise<Record<string, WeakRef<object>>> {
  const { scope, ...rest } = partContext(world)
  const context = { scope, ...rest }
  const frame = new Uint8Array(640)
  const connections: LinkConnection[] = []
  const protocol: Protocol = {
    name: 'stt',
    request: () => ({ url: 'ws://stt' }),
    opened: (connection) => {
      connections.push(connection)
      connection.ready()
    },
    message() {},
    failed() {},
    keepAlive: { every: 1_000, frame: () => frame },
    ending: { frames: () => ['bye'] },
  }
  const link = await Link.open(context, protocol)
  link.rollOver()
  await world.clock.elapse(5_000)
  link.sendAudio(frame)
  kept.push(link, ...connections)
  await scope.close()
  link.sendAudio(frame)
  return {
    protocol: new WeakRef(protocol),
    context: new WeakRef(context),
    scope: new WeakRef(scope),
    frame: new WeakRef(frame),
  }
}

it('a reference to a closed link keeps nothing else alive', () =>
  inVirtualTime(async (world) => {
    const references = await useAndClose(world)
    for (let round = 0; round < 3; round++) {
      // The virtual clock keeps cleared timers until they are due.
      await world.clock.elapse(20_000)
      collect()
    }
    const alive = Object.keys(references).filter((name) => references[name]?.deref() !== undefined)
    expect(alive).toEqual([])
    expect(kept).toHaveLength(3)
  }))
