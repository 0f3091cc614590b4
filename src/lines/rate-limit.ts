export interface Rate {
  /** Sustained rate. */
  readonly perSecond: number
  /** How many may come at once after a long enough pause. */
  readonly burst: number
}

/** A token, in thousandths. */
const TOKEN = 1_000

/**
 * A token bucket. Has no clock: times are passed in. It counts in whole milliseconds and thousandths of tokens, because V8
 * keeps whole numbers in the object itself, and every message of every call looks at them.
 */
export class RateLimit {
  readonly #rate: Rate
  #left: number
  #at: number

  constructor(rate: Rate, now: number) {
    this.#rate = rate
    this.#left = rate.burst * TOKEN
    this.#at = Math.floor(now)
  }

  /** Takes one token. Returns false, and takes none, if the rate is exceeded. */
  take(now: number): boolean {
    const { perSecond, burst } = this.#rate
    const at = Math.floor(now)
    this.#left = Math.min(burst * TOKEN, this.#left + Math.max(0, at - this.#at) * perSecond)
    this.#at = at
    if (this.#left < TOKEN) return false
    this.#left -= TOKEN
    return true
  }
}
