import { percentile } from '../crash/verdict.ts'
import type { Sample } from './samples.ts'
import { slope } from './slope.ts'
import type { Timed } from './talkers.ts'

/** What was measured. Times are those of the clock, in milliseconds. */
export interface Soaked {
  /** When the callers were there. */
  readonly from: number
  readonly until: number
  /** Without calls: before the first caller who counts, and after the last one. */
  readonly before: Sample
  readonly after: Sample
  /** While callers talked. */
  readonly samples: readonly Sample[]
  /** Times until the caller heard the agent. */
  readonly latencies: readonly Timed[]
  /** Answered calls without a report, or whose work was not delivered. */
  readonly lost: number
  readonly problems: readonly string[]
  /** What the host logged about processes that it replaced. */
  readonly replaced: readonly string[]
  /** Callers between `before` and `after`. */
  readonly callers: number
}

export interface SoakVerdict {
  readonly rssSlope: number
  readonly heapSlope: number
  /** KB of live memory that each caller left behind. */
  readonly keptPerCaller: number
  /** File descriptors and Node's own handles that were left after all calls had ended. */
  readonly handles: number
  readonly latencyP95: { readonly first: number; readonly last: number }
  readonly bounds: Bounds
  /** What is not as it must be. */
  readonly failures: readonly string[]
}

export interface Bounds {
  /** MB per hour. */
  readonly rssSlope: number
  readonly heapSlope: number
  /** MB of live memory more than before. */
  readonly kept: number
  readonly handles: number
  /** How much slower the last quarter may be than the first. */
  readonly latency: { readonly times: number; readonly ms: number }
}

const HOUR = 3_600_000
/** MB by which the memory of an idle host differs from sample to sample. A slope over a short time is mostly that. */
const NOISE = { rss: 40, heap: 6 }

/**
 * The bounds of a run. A slope of noise grows as the run gets shorter, and so does the bound: two minutes find only
 * leaks of some 100 KB per call by the slope, an hour those of a few KB.
 */
export function boundsFor(soaked: Pick<Soaked, 'from' | 'until' | 'callers'>): Bounds {
  const half = (soaked.until - soaked.from) / 2 / HOUR
  return {
    rssSlope: 20 + NOISE.rss / half,
    heapSlope: 6 + NOISE.heap / half,
    kept: NOISE.heap + soaked.callers / 1_024,
    handles: 2,
    latency: half < 0.1 ? { times: 2, ms: 250 } : { times: 1.5, ms: 100 },
  }
}

export function judgeSoak(soaked: Soaked): SoakVerdict {
  const { before, after, from, until, callers, lost } = soaked
  const bounds = boundsFor(soaked)
  const rssSlope = perHour(soaked, ({ rss }) => rss)
  const heapSlope = perHour(soaked, ({ heap }) => heap)
  const kept = after.heap - before.heap
  const handles = Math.max(0, after.files - before.files, after.resources - before.resources)
  const quarter = (until - from) / 4
  const first = p95(soaked.latencies, from, from + quarter)
  const last = p95(soaked.latencies, until - quarter, until)
  const slowest = first * bounds.latency.times + bounds.latency.ms
  const tooMuch = (what: string, value: number, bound: number, unit: string): string[] =>
    value > bound ? [`${what}: ${value.toFixed(1)} ${unit}, at most ${bound.toFixed(1)}`] : []
  return {
    rssSlope,
    heapSlope,
    keptPerCaller: (kept * 1_024) / Math.max(1, callers),
    handles,
    latencyP95: { first, last },
    bounds,
    failures: [
      ...tooMuch('resident memory grows', rssSlope, bounds.rssSlope, 'MB/h'),
      ...tooMuch('live memory grows', heapSlope, bounds.heapSlope, 'MB/h'),
      ...tooMuch('live memory is left after all calls', kept, bounds.kept, 'MB'),
      ...tooMuch('handles are left after all calls', handles, bounds.handles, ''),
      ...tooMuch('latency p95 of the last quarter', last, slowest, 'ms'),
      ...(callers === 0 || first === 0 ? ['nobody heard the agent'] : []),
      ...(pids(before) === pids(after) ? [] : [`a process was replaced: ${soaked.replaced.join('; ')}`]),
      ...(lost === 0 ? [] : [`${lost} calls are lost`]),
      ...soaked.problems,
    ],
  }
}

/** The slope over the second half: the first one warms up. */
function perHour({ samples, from, until }: Soaked, of: (sample: Sample) => number): number {
  const points = samples
    .filter(({ at }) => at >= (from + until) / 2)
    .map((sample) => ({ x: sample.at / HOUR, y: of(sample) }))
  return slope(points)
}

function p95(latencies: readonly Timed[], from: number, until: number): number {
  return percentile(
    latencies.filter(({ at }) => at >= from && at <= until).map(({ ms }) => ms),
    0.95,
  )
}

const pids = ({ processes }: Sample): string =>
  processes
    .map(({ pid }) => pid)
    .toSorted((a, b) => a - b)
    .join()
