import { monitorEventLoopDelay } from 'node:perf_hooks'
import { median } from './median.ts'
import { cpuTime } from './sampling.ts'

/** Frames of sound that the callers have sent and heard since they began. */
export interface Counted {
  readonly sent: number
  readonly heard: number
}

/** What the callers do while the server is measured. */
export interface Talking {
  /** Calls at once. */
  readonly calls: number
  readonly count: () => Promise<Counted>
  /** How many times a second of CPU time is measured. */
  readonly stretches: number
  /** The minimum share of frames that must be on time: on a busy machine, late callers would mean a different load. */
  readonly minShare: number
}

/** Frames of sound per second and call, in each direction. */
const FRAMES = 50

/** Percent of a core per call, of this process. */
export async function cpuPerCall({ calls, count, stretches, minShare }: Talking): Promise<number> {
  const before = await count()
  const began = performance.now()
  const samples: number[] = []
  for (let n = 0; n < stretches; n++) {
    const from = performance.now()
    const took = await cpuTime(() => during(1_000))
    samples.push(took / 1_000 / (performance.now() - from) / calls)
  }
  const after = await count()
  const expected = ((performance.now() - began) / 1_000) * FRAMES * calls
  for (const way of ['sent', 'heard'] as const) {
    const share = (after[way] - before[way]) / expected
    if (share < minShare || share > 1 / minShare)
      throw new Error(
        `the callers have ${way} ${Math.round(share * 100)} % of the expected frames: is the machine too busy?`,
      )
  }
  return median(samples) * 100
}

/** The 99th percentile of the event loop delay, in milliseconds. Measured separately, because measuring costs CPU time. */
export async function loopDelay(ms: number): Promise<number> {
  const resolution = 1
  const histogram = monitorEventLoopDelay({ resolution })
  histogram.enable()
  await during(ms)
  histogram.disable()
  return Math.max(0, histogram.percentile(99) / 1e6 - resolution)
}

export function during(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
