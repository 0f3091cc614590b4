import { Link, wsNetwork } from '../../src/link/index.ts'
import { silentLogger } from '../../src/parts/index.ts'
import { Scope, systemRandom } from '../../src/scope/index.ts'
import type { Measure } from '../bench.ts'
import { sample } from './sample.ts'

export const measure: Measure = () =>
  sample(async (url, events) => {
    const scope = new Scope<string>('bench')
    const context = { scope, network: wsNetwork, random: systemRandom, logger: silentLogger, ended() {} }
    const link = await Link.open(context, {
      name: 'bench',
      request: () => ({ url }),
      // The far end echoes as fast as it can.
      inbound: { messages: 1e9, bytes: 1e15 },
      opened: (connection) => {
        connection.ready()
        events.ready()
      },
      message: () => events.message(),
      failed: (error) => {
        throw error
      },
      timing: { backoff: 0, healthyAfter: 0, retries: 1_000, lifetimeRetries: 1_000 },
    })
    return {
      send: (frame) => link.sendAudio(frame),
      ask: (text) => link.send(text),
      close: async () => {
        await scope.close()
      },
    }
  })
