import { Burst } from './burst.ts'
import { observe } from './edge.ts'
import { noop } from './noop.ts'
import type { Scope } from './scope.ts'
import type { Stop } from './stop.ts'

export interface IterateOptions {
  /** How long the source may take to clean up when the loop is left early. Default: 100 ms. */
  readonly patience?: number
  /** Names the source in a report, if it does not return. Default: `an iterator`. */
  readonly name?: string
}

/**
 * Iterates over an async iterable that may ignore its signal. endwell reads every foreign stream with it, because a plain
 * `for await` over a model's answer hangs for as long as the model does.
 *
 * ```ts
 * scope.spawn('answer', async (task) => {
 *   for await (const chunk of iterate(llm.generate(request, task.signal), task)) …
 * })
 * ```
 *
 * When the task is cancelled, the loop throws the cancel reason, even if the source ignores its signal. If the loop is left
 * early, by a cancel or a `break`, the source's `return()` is called. The trade-offs:
 *
 * - The loop waits for `return()`, because the source's `finally` should have run before the task ends (SC8). A source that
 *   respects its signal returns within a few microtasks.
 * - It waits for at most `patience`. An async generator that hangs in an await does not even begin to return, and would
 *   delay a close for its whole budget. A source that is still running when the scope closes is named in the report (SC20).
 * - An error that the source throws while it returns is thrown after a `break`, as `for await` does, and dropped after a
 *   cancel. An error after `patience` is dropped. None becomes an unhandled rejection.
 * - After a cancel, one more value may be read from the source and dropped.
 */
export async function* iterate<T>(
  source: AsyncIterable<T>,
  stop: Stop,
  { patience = 100, name = 'an iterator' }: IterateOptions = {},
): AsyncGenerator<T, void, undefined> {
  const iterator = iteratorOf(source, name)
  const { until } = stop
  // Whether the source has ended or thrown. If not, it is asked to return.
  let ended = false
  const turn = turnsOf(stop)
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
      // A source that never waits must not starve the event loop.
      const pause = turn()
      if (pause) await until(pause)
      yield value
    }
  } catch (error) {
    if (!ended) await leave(iterator, stop, patience, name).catch(() => {})
    ended = true
    throw error
  } finally {
    if (!ended) await leave(iterator, stop, patience, name)
  }
}

/** How many values may come within 100 ms before each further one lets the event loop turn. */
const MAX_BURST = 10_000

/** The iterator of a source. A foreign source may be no iterable at all, but a promise, which must not reject unhandled. */
function iteratorOf<T>(source: AsyncIterable<T>, name: string): AsyncIterator<T> {
  const iterable = source as Partial<AsyncIterable<T>> | null | undefined
  if (typeof iterable?.[Symbol.asyncIterator] === 'function') return source[Symbol.asyncIterator]()
  observe<unknown>(source, noop, noop)
  throw new TypeError(`${name} is not an async iterable: write it as an async generator`)
}

/**
 * Lets the event loop turn now and then. Outside of `iterate`, so that a source that never returns does not hold the scope
 * (SC9).
 */
function turnsOf(stop: Stop): () => Promise<void> | undefined {
  let burst: Burst | undefined
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => void stop.scope.after(ms, 'pause of an iterator', resolve))
  return () => {
    const { scope } = stop
    burst ??= new Burst(scope.clock, MAX_BURST)
    // A closing scope starts no timer. It has cancelled the task, which ends the loop.
    return scope.state === 'live' ? burst.next(pause) : undefined
  }
}

/** Asks the source to return, and waits for that, but for at most `patience` and not beyond the end of the scope. */
async function leave(
  iterator: AsyncIterator<unknown>,
  stop: Stop,
  patience: number,
  name: string,
): Promise<void> {
  const returned = iterator.return?.()
  if (!returned) return
  const done = new Once()
  done.follow(returned)
  const scope = scopeOf(stop)
  if (!scope) return
  const timer = scope.clock.after(patience, 'return of an iterator', () => {
    const ended = scope.leave(name)
    returned.then(ended, ended)
    done.settle()
  })
  // If the scope is aborted meanwhile, no timer must be left (SC15).
  const window = scope.inspect(() => scope.state === 'closed' && done.settle())
  try {
    await done.promise
  } finally {
    timer.clear()
    window.stop()
  }
}

/** The scope to wait in. Undefined if it has closed, or if the task was abandoned. */
function scopeOf(stop: Stop): Scope<string> | undefined {
  try {
    return stop.scope.state === 'closed' ? undefined : stop.scope
  } catch {
    return undefined
  }
}

/**
 * A promise that is settled from outside. A source that never returns holds a reference to this object only, and not to
 * the code that waits (SC9).
 */
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
