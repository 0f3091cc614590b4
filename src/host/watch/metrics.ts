import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { ScopeView } from '../../scope/index.ts'
import type { Session, SessionReport } from '../../session/index.ts'
import type { WorkCounts } from '../journal/journal.ts'
import { LabelValues } from './label-values.ts'
import type { MetricsSnapshot } from './merge-metrics.ts'
import {
  metricTable,
  refusals,
  restarts,
  workStates,
  type AttemptOutcome,
  type BlockOutcome,
  type MetricRow,
  type RefusedWhy,
  type RestartWhy,
} from './metric-table.ts'

export interface MetricsOptions {
  /** Names of lines and models that may be label values besides endwell's own. Other names become `other`. */
  readonly names?: readonly string[]
}

/** What is known about a call besides its session. */
export interface CallLabels {
  /** The line it came in on: `phone`, `browser`. */
  readonly line: string
}

/**
 * The metrics of one process. The host reports to it; a frame of sound costs nothing, and the state of links is read only when
 * the metrics are.
 *
 * ```ts
 * const metrics = new Metrics()
 * metrics.follow(session, { line: 'phone' })
 * const text = await mergeMetrics([await metrics.snapshot()])
 * ```
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #values: LabelValues
  /** Sessions that have not closed. */
  readonly #live = new Set<Session>()
  readonly #calls = this.#gauge(metricTable.calls)
  readonly #callsTotal = this.#counter(metricTable.callsTotal)
  readonly #closeSeconds = this.#histogram(metricTable.closeSeconds)
  readonly #stepsTotal = this.#counter(metricTable.stepsTotal)
  readonly #turnLatency = this.#histogram(metricTable.turnLatency)
  readonly #usageTotal = this.#counter(metricTable.usageTotal)
  readonly #costTotal = this.#counter(metricTable.costTotal)
  readonly #unpricedTotal = this.#counter(metricTable.unpricedTotal)
  readonly #refusedTotal = this.#counter(metricTable.refusedTotal)
  readonly #links = this.#gauge(metricTable.links, () => this.#readLinks())
  readonly #work = this.#gauge(metricTable.work)
  readonly #workOldest = this.#gauge(metricTable.workOldest)
  readonly #workAttempts = this.#counter(metricTable.workAttempts)
  readonly #appendSeconds = this.#histogram(metricTable.appendSeconds)
  readonly #spooled = this.#gauge(metricTable.spooled)
  readonly #loopBlocked = this.#counter(metricTable.loopBlocked)
  readonly #workersRestarted = this.#counter(metricTable.workersRestarted)
  readonly #callsAdopted = this.#counter(metricTable.callsAdopted)
  readonly #draining = this.#gauge(metricTable.draining)

  constructor({ names }: MetricsOptions = {}) {
    this.#values = new LabelValues(names)
  }

  // ── calls ──

  /** Counts a session until it has closed, and then how it closed. Call it before the session starts. */
  follow(session: Session, labels: CallLabels): void {
    if (session.state === 'closed') return
    this.#live.add(session)
    this.#calls.set(this.#live.size)
    session.on('latency', ({ ms, stages }) => {
      this.#turnLatency.observe({ stage: 'total' }, ms / 1_000)
      for (const [stage, part] of Object.entries(stages)) this.#turnLatency.observe({ stage }, part / 1_000)
    })
    session.on('closed', (report) => {
      this.#live.delete(session)
      this.#calls.set(this.#live.size)
      this.closed(report, labels)
    })
  }

  /** A call has ended. For calls whose process is gone; `follow` does it for sessions. */
  closed(report: SessionReport, { line }: CallLabels): void {
    const { reason, clean, took, scope, usage, cost } = report
    this.#callsTotal.inc({
      line: this.#values.name(line),
      reason: this.#values.reason(reason),
      clean: String(clean),
    })
    this.#closeSeconds.observe(took / 1_000)
    for (const labels of this.#values.steps(scope)) this.#stepsTotal.inc(labels)
    for (const [model, used] of Object.entries(usage.models))
      for (const { unit, value } of this.#values.units(used))
        this.#usageTotal.inc({ model: this.#values.name(model), unit }, value)
    const currency = this.#values.currency(cost?.currency)
    for (const [model, value] of Object.entries(cost?.models ?? {}))
      if (value > 0) this.#costTotal.inc({ model: this.#values.name(model), currency }, value)
    for (const model of cost?.unpriced ?? []) this.#unpricedTotal.inc({ model: this.#values.name(model) })
  }

  refused(why: RefusedWhy): void {
    this.#refusedTotal.inc({ why: refusals.includes(why) ? why : 'other' })
  }

  adopted(calls: number): void {
    this.#callsAdopted.inc(calls)
  }

  draining(draining: boolean): void {
    this.#draining.set(draining ? 1 : 0)
  }

  // ── after-call work ──

  work(counts: WorkCounts): void {
    for (const state of workStates) this.#work.set({ state }, counts[state])
    this.#workOldest.set(counts.oldest / 1_000)
  }

  attempted(outcome: AttemptOutcome): void {
    this.#workAttempts.inc({ outcome })
  }

  // ── journal ──

  /** The journal has acknowledged a write after `ms`. */
  appended(ms: number): void {
    this.#appendSeconds.observe(ms / 1_000)
  }

  /** How many writes the spool holds. */
  spooled(writes: number): void {
    this.#spooled.set(writes)
  }

  // ── workers ──

  loopBlocked(outcome: BlockOutcome): void {
    this.#loopBlocked.inc({ outcome })
  }

  workerRestarted(why: RestartWhy): void {
    this.#workersRestarted.inc({ why: restarts.includes(why) ? why : 'other' })
  }

  // ── reading ──

  /** The current values as plain JSON, to be sent to another process and merged there. */
  async snapshot(): Promise<MetricsSnapshot> {
    return (await this.#registry.getMetricsAsJSON()) as unknown as MetricsSnapshot
  }

  /** Reads the state of every link anew. Nothing has to be counted down when a link or a session ends. */
  #readLinks(): void {
    this.#links.reset()
    for (const session of this.#live) {
      // Inspecting a session that has not started would create its scope.
      if (session.state === 'new') continue
      for (const { name, state } of linksOf(session.inspect().tree))
        this.#links.inc({ provider: this.#values.name(name), state })
    }
  }

  #gauge(row: MetricRow, collect?: () => void): Gauge {
    const gauge = new Gauge({
      ...this.#settings(row),
      aggregator: row.merge ?? 'sum',
      ...(collect ? { collect } : {}),
    })
    for (const value of row.initial ?? []) gauge.set({ [row.labels[0]!]: value }, 0)
    return gauge
  }

  #counter(row: MetricRow): Counter {
    const counter = new Counter(this.#settings(row))
    for (const value of row.initial ?? []) counter.inc({ [row.labels[0]!]: value }, 0)
    return counter
  }

  #histogram(row: MetricRow): Histogram {
    return new Histogram({ ...this.#settings(row), buckets: [...(row.buckets ?? [])] })
  }

  #settings({ name, help, labels }: MetricRow) {
    return { name, help, labelNames: labels, registers: [this.#registry] }
  }
}

/** The phases of a link that are states in the metrics. */
const linkStates: ReadonlySet<unknown> = new Set([
  'connecting',
  'open',
  'ready',
  'idle',
  'rolling-over',
  'backing-off',
  'closing',
  'closed',
])

/** The links in a tree: resources whose status is that of a link. */
function linksOf({ owned, children }: ScopeView): { readonly name: string; readonly state: string }[] {
  const own = owned.flatMap(({ name, status }) => {
    const state = status && 'phase' in status && 'generation' in status ? status.phase : undefined
    return linkStates.has(state) ? [{ name, state: String(state) }] : []
  })
  return [...own, ...children.flatMap(linksOf)]
}
