import { limits } from './limits.ts'

/** What became of the timers that a guarded session left. */
export interface TimersReport {
  /** Intervals that were still running, and were cleared. */
  readonly cleared: number
  /** Timeouts that had not fired. They still may, but they do not keep the process alive. */
  readonly unreffed: number
}

/**
 * The timers a guarded session has started. Those that have ended are swept out now and then: to hear of each end, the
 * functions that clear timers would have to be hooked, too, at everybody's cost.
 */
export class Timers {
  readonly #intervals = new Set<NodeJS.Timeout>()
  readonly #timeouts = new Set<NodeJS.Timeout>()
  #sweepAt: number = limits.timersBeforeSweep

  add(timer: NodeJS.Timeout, repeats: boolean): void {
    if (repeats) this.#intervals.add(timer)
    else this.#timeouts.add(timer)
    if (this.#intervals.size + this.#timeouts.size >= this.#sweepAt) this.#sweep()
  }

  /** Clears intervals, and lets go of timeouts. */
  end(): TimersReport {
    this.#sweep()
    for (const timer of this.#intervals) clearInterval(timer)
    const held = [...this.#timeouts].filter((timer) => timer.hasRef())
    for (const timer of held) timer.unref()
    const report = { cleared: this.#intervals.size, unreffed: held.length }
    this.#intervals.clear()
    this.#timeouts.clear()
    return report
  }

  #sweep(): void {
    for (const timers of [this.#intervals, this.#timeouts]) {
      for (const timer of timers) if (hasEnded(timer)) timers.delete(timer)
    }
    this.#sweepAt = Math.max(limits.timersBeforeSweep, 2 * (this.#intervals.size + this.#timeouts.size))
  }
}

/** Fired for the last time, or cleared. Node has no public word for it, but has always had this one. */
function hasEnded(timer: NodeJS.Timeout): boolean {
  return Reflect.get(timer, '_destroyed') === true
}
