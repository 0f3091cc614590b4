import type { Scope } from './scope.ts'
import type { Stop } from './stop.ts'

export interface IterateOptions {
  /** How long the source may take to clean up when it is left before its end: 100 ms unless set. */
  readonly patience?: number
}

/**
 * Goes through an async iterable that may ignore its signal. The one way to do so in endwell: a plain `for await` over
 * a model's answer hangs as long as the model does.
 *
 * ```ts
 * scope.spawn('answer', async (task) => {
 *   for await (const chunk of iterate(llm.generate(request, task.signal), task)) …
 * })
 * ```
 *
 * When the task is cancelled, the loop throws the reason, whether the source heeds its signal or not. A source that is
 * left before its end, so or by a `break`, is told by `return()`, and here are the trade-offs:
 *
 * - It is waited for, because its `finally` should have run before the task ends (SC8). A source that heeds its signal
 *   is done within a few microtasks.
 * - It is not waited for longer than `patience`. An async generator that hangs in an await does not even begin to
 *   return, and each such source would hold a close back for its whole budget. What it still does after that belongs
 *   to nobody: it must own what it opens through the scope of its part.
 * - What it throws while returning is thrown after a `break`, as by `for await`, and dropped after a cancel, where the
 *   reason counts. What comes later than `patience` is dropped; nothing ever becomes an unhandled rejection.
 * - One more value may be pulled after a cancel and dropped.
 */
export async function* iterate<T>(
  source: AsyncIterable<T>,
  stop: Stop,
  { patience = 100 }: IterateOptions = {},
): AsyncGenerator<T, void, undefined> {
  const iterator = source[Symbol.asyncIterator]()
  const { until } = stop
  // Whether the source has come to its end, by itself or by its own error. Only another one is told to return.
  let ended = false
  const next = async (): Promise<IteratorResult<T>> => {
    try {
      const result = await iterator.next()
      ended = result.done === true
      return result
    } catch (error) {
      ended = true
      throw error
    }
  }
  try {
    for (;;) {
      const { done, value } = await until(next())
      if (done) return
      yield value
    }
  } catch (error) {
    if (!ended) await leave(iterator, stop, patience).catch(() => {})
    ended = true
    throw error
  } finally {
    if (!ended) await leave(iterator, stop, patience)
  }
}

/** Tells the source to return, and waits until it has, but not for long, and not beyond the end of the scope. */
async function leave(iterator: AsyncIterator<unknown>, stop: Stop, patience: number): Promise<void> {
  const returned = iterator.return?.()
  if (!returned) return
  const over = new Once()
  over.follow(returned)
  const scope = scopeOf(stop)
  if (!scope) return
  const timer = scope.clock.after(patience, 'return of an iterator', () => over.settle())
  // The scope may be forced while we wait: it leaves no timer behind then (SC15).
  const window = scope.inspect(() => scope.state === 'closed' && over.settle())
  try {
    await over.promise
  } finally {
    timer.clear()
    window.stop()
  }
}

/** The scope to wait in; none if it has closed, or the task was abandoned. */
function scopeOf(stop: Stop): Scope<string> | undefined {
  try {
    return stop.scope.state === 'closed' ? undefined : stop.scope
  } catch {
    return undefined
  }
}

/** A promise that others settle. What it follows for ever holds this alone, and nothing of whoever waits (SC9). */
class Once {
  readonly promise: Promise<void>
  #resolve: (() => void) | undefined
  #reject: ((error: unknown) => void) | undefined

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.promise.catch(() => {})
  }

  follow(other: PromiseLike<unknown>): void {
    other.then(
      () => this.settle(),
      (error: unknown) => this.settle({ error }),
    )
  }

  settle(failure?: { readonly error: unknown }): void {
    if (failure) this.#reject?.(failure.error)
    else this.#resolve?.()
    this.#resolve = undefined
    this.#reject = undefined
  }
}
