import type { Clock } from './clock.ts'

/** A moment by which something must be over. It can come nearer; it never moves away (SC4). */
export class Deadline {
  readonly #clock: Clock
  #at: number

  constructor(clock: Clock, at: number) {
    this.#clock = clock
    this.#at = at
  }

  /** `ms` from now. */
  static in(clock: Clock, ms: number): Deadline {
    return new Deadline(clock, clock.now() + ms)
  }

  /** The moment, in the clock's own milliseconds. */
  get at(): number {
    return this.#at
  }

  /** Milliseconds until then; 0 once it has passed. */
  get left(): number {
    return Math.max(0, this.#at - this.#clock.now())
  }

  /** Brings it nearer. Returns whether that changed anything: a later moment is ignored. */
  shorten(at: number): boolean {
    // Written so that what is not a number changes nothing.
    if (!(at < this.#at)) return false
    this.#at = at
    return true
  }
}
