import { PerformanceObserver, performance } from 'node:perf_hooks'
import { cpuTime } from '../sampling.ts'

interface Span {
  readonly from: number
  readonly to: number
}

/**
 * Measures how much of the CPU time of some work was spent in the garbage collector. Needs `--single-threaded-gc`, with which
 * nothing else runs while garbage is collected.
 */
export class CollectorTime {
  #spans: Span[] = []
  #collections: { readonly startTime: number; readonly duration: number }[] = []
  readonly #observer = new PerformanceObserver((list) => this.#collections.push(...list.getEntries()))

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  /** Microseconds of CPU time that `work` takes. */
  async during(work: () => Promise<unknown>): Promise<number> {
    const from = performance.now()
    const took = await cpuTime(work)
    this.#spans.push({ from, to: performance.now() })
    return took
  }

  /** Forgets what was measured so far. */
  clear(): void {
    this.#spans = []
    this.#collections = []
  }

  /** Microseconds in the collector during all work since the last `clear()`. */
  async total(): Promise<number> {
    // Entries arrive in a later turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 20))
    let ms = 0
    for (const { startTime, duration } of this.#collections)
      if (this.#spans.some(({ from, to }) => startTime >= from && startTime < to)) ms += duration
    return ms * 1_000
  }
}
