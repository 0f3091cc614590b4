export interface Rate {
  /** Sustained rate. */
  readonly perSecond: number
  /** How many may come at once after a long enough pause. */
  readonly burst: number
}

/** A token bucket. Has no clock: times are passed in. */
export class RateLimit {
  readonly #rate: Rate
  #left: number
  #at: number

  constructor(rate: Rate, now: number) {
    this.#rate = rate
    this.#left = rate.burst
    this.#at = now
  }

  /** Takes one token. Returns false, and takes none, if the rate is exceeded. */
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
