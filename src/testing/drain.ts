/** Taken at import time, because a test framework may replace it with a fake timer that never fires. */
const immediate = setImmediate

/**
 * Resolves when every microtask has run, including those queued meanwhile: the next turn of the event loop begins only
 * then. Waiting for a fixed number of ticks would be a guess.
 */
export function drain(): Promise<void> {
  return new Promise((resolve) => {
    immediate(resolve)
  })
}

/** Drains per turn of the event loop. More save little. */
const PER_TURN = 32

/**
 * Drains several times per turn of the event loop, whose system call costs more than most simulated events. Between two
 * immediates, Node runs all microtasks and ticks, and reports unhandled rejections, exactly as between two turns. Real
 * input and output waits for the next turn, so this is only for simulations that have none.
 */
export class BatchedDrain {
  /** Immediates that have not run. */
  #left = 0
  #resolve: (() => void) | undefined

  readonly drain = (): Promise<void> =>
    new Promise((resolve) => {
      this.#resolve = resolve
      if (this.#left > 0) return
      for (; this.#left < PER_TURN; this.#left++) immediate(this.#next)
    })

  readonly #next = (): void => {
    this.#left--
    const resolve = this.#resolve
    this.#resolve = undefined
    resolve?.()
  }
}
