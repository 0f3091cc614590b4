import { systemClock, type Timer } from '../src/scope/index.ts'

const INTERVAL = 10

/** Measures how long the event loop was blocked in total, so that tests of durations do not fail on a busy machine. */
export class BlockedTime implements Disposable {
  #last = systemClock.now()
  #total = 0
  #timer: Timer = this.#next()

  get total(): number {
    this.#measure()
    return this.#total
  }

  [Symbol.dispose](): void {
    this.#timer.clear()
  }

  #next(): Timer {
    return systemClock.after(INTERVAL, 'blocked time', () => {
      this.#measure()
      this.#timer = this.#next()
    })
  }

  #measure(): void {
    const now = systemClock.now()
    this.#total += Math.max(0, now - this.#last - INTERVAL)
    this.#last = now
  }
}
