import { pcm } from '../../src/audio/index.ts'
import { Link } from '../../src/link/index.ts'
import type { Stt } from '../../src/parts/index.ts'
import type { Metrics, MetricsSnapshot } from '../../src/host/index.ts'
import type { World } from '../../src/testing/index.ts'
import { aCall, type Call, type CallOptions } from '../session/fixture.ts'

/** A call that the metrics follow. */
export function followed(world: World, metrics: Metrics, options: CallOptions = {}, line = 'phone'): Call {
  const call = aCall(world, options)
  metrics.follow(call.session, { line })
  return call
}

/** All values of a metric that are not 0, by their labels: `{ 'reason=requested clean=true': 1 }`. */
export function valuesOf(snapshot: MetricsSnapshot, name: string): Record<string, number> {
  const metric = snapshot.find((each) => each.name === name)
  if (!metric) throw new Error(`there is no metric '${name}'`)
  return Object.fromEntries(
    metric.values
      .filter(({ value, metricName = name }) => value !== 0 && !metricName.endsWith('_bucket'))
      .map(({ value, labels, metricName = name }) => [
        [...(metricName === name ? [] : [metricName.slice(name.length + 1)]), ...pairsOf(labels)].join(' '),
        value,
      ]),
  )
}

const pairsOf = (labels: object): string[] =>
  Object.entries(labels).map(([label, value]) => `${label}=${String(value)}`)

/** An STT on a link that is named `name`. */
export function linkedStt(name: string): Stt {
  return {
    name,
    hears: [pcm(16_000)],
    open: async (context) => {
      await Link.open(context, {
        name,
        request: () => ({ url: 'wss://stt.example/v1' }),
        opened: (connection) => connection.ready(),
        message: () => {},
        failed: () => {},
      })
      return { push: () => {}, flush: () => {}, configure: () => {}, detach: () => {} }
    },
  }
}
