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
