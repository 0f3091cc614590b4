import { limits } from './limits.ts'

/** Counts what a page sends: so many messages a second for good, and some more at once. */
export class MessageBudget {
  #left: number = limits.burst
  #at: number

  constructor(now: number) {
    this.#at = now
  }

  /** Whether one more is within the limits. */
  take(now: number): boolean {
    const earned = (Math.max(0, now - this.#at) * limits.messages) / 1000
    this.#left = Math.min(limits.burst, this.#left + earned) - 1
    this.#at = now
    return this.#left >= 0
  }
}
