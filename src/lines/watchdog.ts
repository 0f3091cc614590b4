/**
 * Notices that a caller has vanished: no sign of life for `patience`, although something should have arrived (LN2). Has
 * no timer and no clock: both methods say when to check next.
 */
export class Watchdog {
  /** When the last sign of life came. Every frame of sound sets it, in whole milliseconds: V8 keeps those in the object itself. */
  lastSign = 0
  readonly #patience: number
  /** When the next check is due. */
  #due = 0

  constructor(patience: number) {
    this.#patience = patience
  }

  /** Starts to watch. Returns the milliseconds until the first check. */
  start(now: number): number {
    this.lastSign = Math.floor(now)
    this.#due = now + this.#patience
    return this.#patience
  }

  /** Returns the milliseconds until the next check, or 0 if the caller has vanished. */
  check(now: number): number {
    const late = now - this.#due
    let wait = Math.max(0, this.lastSign + this.#patience - now)
    // This process itself was suspended, and has not read yet what arrived meanwhile.
    if (wait === 0 && late > this.#patience / 4) wait = this.#patience / 4
    this.#due = now + wait
    return wait
  }
}
