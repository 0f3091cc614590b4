import { systemClock, type Timer } from '../src/scope/index.ts'

const EVERY = 10

/** Measures how long this process stood still, altogether: a busy machine must not fail what is told of time. */
export class Stillness implements Disposable {
  #last = systemClock.now()
  #total = 0
  #timer: Timer = this.#next()

  get total(): number {
    this.#look()
    return this.#total
  }

  [Symbol.dispose](): void {
    this.#timer.clear()
  }

  #next(): Timer {
    return systemClock.after(EVERY, 'stillness', () => {
      this.#look()
      this.#timer = this.#next()
    })
  }

  #look(): void {
    const now = systemClock.now()
    this.#total += Math.max(0, now - this.#last - EVERY)
    this.#last = now
  }
}
