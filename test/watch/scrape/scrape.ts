import { Metrics, WorkerMetrics, mergeMetrics, metricsResponse, listen } from '../../../src/host/index.ts'
import { metricTable } from '../../../src/host/watch/metric-table.ts'
import { Scope } from '../../../src/scope/index.ts'
import { Agent, Session, type SessionReport } from '../../../src/session/index.ts'
import { ScriptedLlm, ScriptedStt, ScriptedTts, ScriptedVad, TestLine } from '../../../src/testing/index.ts'
import { Prometheus } from './prometheus.ts'

export interface Check {
  readonly what: string
  readonly wanted: string
  readonly got: string
  readonly ok: boolean
}

/** Two workers with calls, scraped by a real Prometheus. One worker is replaced in between. */
export async function scrape(
  program: string,
  calls: number,
): Promise<{ readonly version: string; readonly checks: readonly Check[] }> {
  const scope = new Scope<string>('scrape')
  const workers = new WorkerMetrics()
  const live = new Map([
    ['w1', new Metrics()],
    ['w2', new Metrics()],
  ])
  const app = {
    fetch: async (): Promise<Response> => {
      for (const [name, metrics] of live) workers.update(name, await metrics.snapshot())
      return metricsResponse(await mergeMetrics(workers.snapshots))
    },
  }
  const { port } = await listen({ scope, app, port: 0 })
  const prometheus = await Prometheus.start(program, `127.0.0.1:${port}`)
  try {
    const open = await Promise.all(Array.from(live.values(), (metrics) => answered(metrics)))
    await prometheus.has('sum(endwell_calls)', open.length)
    const before = await Promise.all(open.map(ended))
    await prometheus.has('sum(endwell_calls_total)', before.length)
    // The first worker dies, and another takes its place.
    workers.remove('w1')
    live.delete('w1')
    live.set('w3', new Metrics())
    const metrics = Array.from(live.values())
    const after = await Promise.all(
      Array.from({ length: calls - before.length }, async (_, index) =>
        ended(await answered(metrics[index % metrics.length]!)),
      ),
    )
    const reports = [...before, ...after]
    await prometheus.has('sum(endwell_calls_total)', reports.length)
    return { version: prometheus.version, checks: await compare(prometheus, reports) }
  } finally {
    await prometheus.stop()
    await scope.close()
  }
}

/** A call that was answered, and has had a turn. */
async function answered(metrics: Metrics): Promise<Session> {
  const line = new TestLine()
  const session = new Session({
    agent: new Agent({ instructions: 'You answer the phone.' }),
    models: {
      llm: new ScriptedLlm({ answers: ['We open at nine.'] }),
      tts: new ScriptedTts({ msPerCharacter: 1 }),
      stt: new ScriptedStt({ finalOn: 'flush' }),
      vad: new ScriptedVad(),
    },
    line,
  })
  metrics.follow(session, { line: 'phone' })
  await session.start()
  line.caller.types('When do you open?')
  await line.caller.hears('We open at nine.')
  return session
}

const ended = (session: Session): Promise<SessionReport> => session.close()

async function compare(prometheus: Prometheus, reports: readonly SessionReport[]): Promise<Check[]> {
  const checks: Check[] = []
  const check = (what: string, wanted: unknown, got: unknown): void => {
    const [one, other] = [JSON.stringify(wanted), JSON.stringify(got)]
    checks.push({ what, wanted: one, got: other, ok: one === other })
  }
  const value = async (expression: string): Promise<number | undefined> => {
    const [sample] = await prometheus.query(expression)
    return sample && Number(sample.value.toFixed(6))
  }
  const sum = (numbers: readonly number[]): number =>
    Number((numbers.reduce((total, each) => total + each, 0) / 1_000).toFixed(6))
  check('target', { health: 'up', lastError: '' }, await prometheus.target())
  const rows = Object.values(metricTable)
  const known = await prometheus.metadata()
  const types = rows.map(({ name }) => known.find(({ metric }) => metric === name)?.type)
  check(
    'types of all metrics',
    rows.map(({ type }) => type),
    types,
  )
  check('endwell_calls', 0, await value('sum(endwell_calls)'))
  const clean = reports.filter((report) => report.clean).length
  check(
    'clean calls',
    clean,
    await value('sum(endwell_calls_total{line="phone",reason="requested",clean="true"})'),
  )
  check('all calls', reports.length, await value('sum(endwell_calls_total)'))
  check(
    'seconds of closes',
    sum(reports.map(({ took }) => took)),
    await value('endwell_call_close_seconds_sum'),
  )
  const latencies = reports.flatMap(({ turns }) => turns.map(({ latency }) => latency))
  check('turns', latencies.length, await value('endwell_turn_latency_seconds_count{stage="total"}'))
  check('seconds of turns', sum(latencies), await value('endwell_turn_latency_seconds_sum{stage="total"}'))
  // Counts the calls of the replaced worker once, and those of the other one not again.
  check('resets of counters', 0, await value('max(resets(endwell_calls_total[1m]))'))
  return checks
}
