import type { CancelToken } from '../scope/index.ts'

/** Runs work in the context of a guard. */
export interface Runner {
  run<T>(work: () => T): T
}

/**
 * Returns an iterator whose steps run in the guard's context. When the guard is sealed, a pending step ends the iteration,
 * so that a loop over the events of a closed session does not hang.
 */
export function iterateIn<T>(
  guard: Runner,
  sealed: CancelToken,
  source: AsyncIterable<T>,
): AsyncIterableIterator<T> {
  const iterator = guard.run(() => source[Symbol.asyncIterator]())
  const step = async (work: () => Promise<IteratorResult<T>>): Promise<IteratorResult<T>> => {
    try {
      return await sealed.until(guard.run(work))
    } catch (error) {
      if (error === sealed.reason) return { done: true, value: undefined }
      throw error
    }
  }
  const done = async (): Promise<IteratorResult<T>> => ({ done: true, value: undefined })
  return {
    next: () => step(() => iterator.next()),
    return: (value?: unknown) => step(() => iterator.return?.(value) ?? done()),
    throw: (error?: unknown) => step(() => iterator.throw?.(error) ?? Promise.reject(error)),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
