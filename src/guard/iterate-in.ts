import type { CancelToken } from '../scope/index.ts'

/** Runs work in the context of a guard. */
export interface Runner {
  run<T>(work: () => T): T
}

/**
 * An iterator whose steps run in the guard's context. A step that is waited for when the guard is sealed ends the
 * iteration: a loop over the events of a closed session must not wait for ever.
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
  const nothingMore = async (): Promise<IteratorResult<T>> => ({ done: true, value: undefined })
  return {
    next: () => step(() => iterator.next()),
    return: (value?: unknown) => step(() => iterator.return?.(value) ?? nothingMore()),
    throw: (error?: unknown) => step(() => iterator.throw?.(error) ?? Promise.reject(error)),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
