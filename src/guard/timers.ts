import { limits } from './limits.ts'

/** What happened to the timers that a guarded session left behind. */
export interface TimersReport {
  /** Intervals that were still running and were cleared. */
  readonly cleared: number
  /** Timeouts that had not fired. They still may, but no longer keep the process alive. */
  readonly unreffed: number
}

/**
 * The timers that a guarded session has started. Ended timers are removed now and then. To notice each end, the functions
 * that clear timers would have to be hooked too, which would slow down all code.
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

  /** Clears intervals and unrefs timeouts. */
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

/** Whether the timer has fired for the last time or was cleared. Node has no public property for this. */
function hasEnded(timer: NodeJS.Timeout): boolean {
  return Reflect.get(timer, '_destroyed') === true
}
