import { callOut, noop } from '../../scope/index.ts'

/** What is known about a stream that somebody else reads. Exactly one of `ended` and `failed` is called, once. */
export interface StreamWatch<T> {
  /** Makes the first request for a chunk. */
  first<R>(work: () => R): R
  chunk(chunk: T): void
  ended(): void
  failed(error: unknown): void
}

/** The same stream, watched. It behaves exactly as before: a value that is no stream is returned as it is. */
export function observed<T>(source: AsyncIterable<T>, watch: StreamWatch<T>): AsyncIterable<T> {
  if (typeof (source as Partial<typeof source> | undefined)?.[Symbol.asyncIterator] !== 'function') {
    watch.ended()
    return source
  }
  return { [Symbol.asyncIterator]: () => iterator(source[Symbol.asyncIterator](), watch) }
}

function iterator<T>(inner: AsyncIterator<T>, watch: StreamWatch<T>): AsyncIterator<T> {
  let begun = false
  let over = false
  const end = (how: () => void): void => {
    if (!over) callOut(how, noop)
    over = true
  }
  const seen = (result: IteratorResult<T>): void => {
    if (result.done) end(() => watch.ended())
    else if (!over) watch.chunk(result.value)
  }
  const failed = (error: unknown): void => end(() => watch.failed(error))
  const read = (work: () => Promise<IteratorResult<T>>): Promise<IteratorResult<T>> => {
    const result = work()
    Promise.resolve(result).then((each) => callOut(() => seen(each), noop), failed)
    return result
  }
  const next = (): Promise<IteratorResult<T>> => {
    if (begun) return read(() => inner.next())
    begun = true
    return read(() => watch.first(() => inner.next()))
  }
  if (!inner.return) return { next }
  const leave = (value?: T | PromiseLike<T>): Promise<IteratorResult<T>> => {
    end(() => watch.ended())
    return inner.return!(value)
  }
  return { next, return: leave }
}
