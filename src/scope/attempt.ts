/**
 * Calls `work` and tells how it went by exactly one of two callbacks: at once if the work is synchronous, else when
 * its promise settles. There is no promise in between, so nothing can go unhandled.
 */
export function attempt<T>(
  work: () => T | PromiseLike<T>,
  done: (value: T) => void,
  failed: (error: unknown) => void,
): void {
  let value: T | PromiseLike<T>
  try {
    value = work()
    if (isPromiseLike(value)) {
      value.then(done, failed)
      return
    }
  } catch (error) {
    failed(error)
    return
  }
  done(value)
}

function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
