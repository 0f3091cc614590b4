import { noop, type Clock, type Timer } from '../../scope/index.ts'

/** Timers that end together. */
export class OwnTimers {
  readonly #clock: Clock
  readonly #timers = new Set<Timer>()
  #ended = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  after(ms: number, name: string, callback: () => void): Timer {
    if (this.#ended) return { clear: noop }
    const timer = this.#clock.after(ms, name, () => {
      this.#timers.delete(timer)
      callback()
    })
    this.#timers.add(timer)
    return {
      clear: () => {
        this.#timers.delete(timer)
        timer.clear()
      },
    }
  }

  /** Clears all of them. There are no others after that. */
  end(): void {
    this.#ended = true
    for (const timer of this.#timers) timer.clear()
    this.#timers.clear()
  }
}
