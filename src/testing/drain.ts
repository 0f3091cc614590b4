/** Taken at once: the fake timers of a test framework would never let it come. */
const immediate = setImmediate

/**
 * Resolves when every microtask has run, however many they queue: a turn of the event loop begins only then. Waiting
 * for a fixed number of ticks would only be a guess.
 */
export function drain(): Promise<void> {
  return new Promise((resolve) => {
    immediate(resolve)
  })
}
