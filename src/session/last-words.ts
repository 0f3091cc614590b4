import type { Clock } from '../scope/index.ts'

/** The wait for the last words of the user, when the session closes while they are being transcribed (CL6). */
export class LastWords {
  #came: (() => void) | undefined

  /** Resolves when `come()` is called, and not later than after `timeout`. */
  wait(clock: Clock, timeout: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = clock.after(timeout, 'last words', () => this.come())
      this.#came = () => {
        timer.clear()
        this.#came = undefined
        resolve()
      }
    })
  }

  /** They are there, or nobody waits for them any more. */
  come(): void {
    this.#came?.()
  }
}
