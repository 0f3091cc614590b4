import { AggregatorRegistry, prometheusContentType } from 'prom-client'

/** The metrics of one process as plain JSON. */
export type MetricsSnapshot = readonly MetricJson[]

interface MetricJson {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly aggregator: string
  readonly values: readonly MetricValue[]
}

interface MetricValue {
  readonly value: number
  readonly labels: Readonly<Record<string, string | number>>
  readonly metricName?: string
}

/** Merges the metrics of several processes into the text that Prometheus reads. */
export async function mergeMetrics(snapshots: readonly MetricsSnapshot[]): Promise<string> {
  return AggregatorRegistry.aggregate(snapshots as unknown as object[]).metrics()
}

/** The response to `GET /metrics`. */
export function metricsResponse(text: string): Response {
  return new Response(text, {
    headers: { 'content-type': prometheusContentType, 'cache-control': 'no-store' },
  })
}

/**
 * The metrics of a host's workers, in its supervisor. Counters of workers that have exited still count: if their sum decreased,
 * Prometheus would take that for a restart, and count all calls of the other workers again.
 *
 * ```ts
 * const workers = new WorkerMetrics()
 * workers.update('w1', snapshot)                                 // the answer of a worker
 * workers.remove('w1')                                           // it has exited
 * await mergeMetrics([...workers.snapshots, await own.snapshot()])
 * ```
 */
export class WorkerMetrics {
  readonly #live = new Map<string, MetricsSnapshot>()
  /** The counters and histograms of workers that have exited, merged. */
  #removed: MetricsSnapshot = []

  /** The latest metrics of a worker. A worker that does not answer in time keeps its last ones. */
  update(worker: string, snapshot: MetricsSnapshot): void {
    this.#live.set(worker, snapshot)
  }

  /** The worker has exited: its gauges are dropped, its counters are kept. */
  remove(worker: string): void {
    const last = this.#live.get(worker)
    if (!last) return
    this.#live.delete(worker)
    this.#removed = sumOf([...this.#removed, ...last.filter(({ type }) => type !== 'gauge')])
  }

  get snapshots(): readonly MetricsSnapshot[] {
    return [this.#removed, ...this.#live.values()]
  }
}

/** Adds up metrics of the same name, and values with the same labels. */
function sumOf(metrics: readonly MetricJson[]): MetricsSnapshot {
  const byName = new Map<string, MetricJson & { values: MetricValue[] }>()
  for (const metric of metrics) {
    const sum = byName.get(metric.name)
    if (!sum) byName.set(metric.name, { ...metric, values: [...metric.values] })
    else for (const value of metric.values) add(sum.values, value)
  }
  return [...byName.values()]
}

function add(values: MetricValue[], { value, labels, metricName }: MetricValue): void {
  const at = values.findIndex((each) => each.metricName === metricName && same(each.labels, labels))
  if (at < 0) values.push({ value, labels, ...(metricName === undefined ? {} : { metricName }) })
  else values[at] = { ...values[at]!, value: values[at]!.value + value }
}

function same(one: MetricValue['labels'], other: MetricValue['labels']): boolean {
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
}
