export interface Rate {
  /** So many a second for good. */
  readonly perSecond: number
  /** So many at once, after a pause that was long enough. */
  readonly burst: number
}

/** Counts what comes, against a rate. It has no clock: times are handed in. */
export class RateLimit {
  readonly #rate: Rate
  #left: number
  #at: number

  constructor(rate: Rate, now: number) {
    this.#rate = rate
    this.#left = rate.burst
    this.#at = now
  }

  /** Whether one more is within the rate. One that is not does not count. */
  take(now: number): boolean {
    const { perSecond, burst } = this.#rate
    const earned = (Math.max(0, now - this.#at) * perSecond) / 1000
    this.#left = Math.min(burst, this.#left + earned)
    this.#at = now
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
