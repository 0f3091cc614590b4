import type { Clock } from './clock.ts'

/** The time in which `limit` steps may begin, in milliseconds. */
const WINDOW = 100

/**
 * Keeps steps that cause each other in a circle from starving the event loop: if more than `limit` begin within 100 ms, each
 * further one waits for a millisecond, in which timers and sockets get their turn.
 */
export class Burst {
  readonly #clock: Clock
  readonly #limit: number
  #since = -Infinity
  #count = 0

  constructor(clock: Clock, limit: number) {
    this.#clock = clock
    this.#limit = limit
  }

  /** Call before a step begins, and await the result. `pause` waits for a millisecond. */
  next(pause: (ms: number) => Promise<void>): Promise<void> | undefined {
    const now = this.#clock.now()
    if (now - this.#since > WINDOW) {
      this.#since = now
      this.#count = 0
    }
    return ++this.#count > this.#limit ? pause(1) : undefined
  }
}
