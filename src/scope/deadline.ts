import type { Clock } from './clock.ts'

/** A point in time by which something must have ended. It can move earlier, never later (SC4). */
export class Deadline {
  readonly #clock: Clock
  #at: number

  constructor(clock: Clock, at: number) {
    this.#clock = clock
    this.#at = at
  }

  /** A deadline `ms` from now. */
  static in(clock: Clock, ms: number): Deadline {
    return new Deadline(clock, clock.now() + ms)
  }

  /** The deadline on the clock's own scale. */
  get at(): number {
    return this.#at
  }

  /** Milliseconds left; 0 once the deadline has passed. */
  get left(): number {
    return Math.max(0, this.#at - this.#clock.now())
  }

  /** Moves the deadline earlier. Returns false, and changes nothing, if `at` is not earlier. */
  shorten(at: number): boolean {
    // Written so that NaN changes nothing.
    if (!(at < this.#at)) return false
    this.#at = at
    return true
  }
}
