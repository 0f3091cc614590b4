import { noop } from './noop.ts'

/**
 * The edge: the one place that calls code which is not endwell's own, such as callbacks, listeners, hooks and the
 * methods of resources. Nothing such code throws, rejects with or returns reaches the caller as an exception, and none
 * of its promises becomes an unhandled rejection (SC19).
 *
 * - `attempt` waits for the outcome of work.
 * - `callOut` calls a function whose outcome matters only if it fails.
 * - `shelter` wraps an object, so that calling its methods is a `callOut`.
 * - `pushTo` is a `callOut` for sound, without garbage.
 *
 * One case is out of reach: a promise that the code creates and never returns.
 */

/**
 * Calls `work` and then exactly one of the two callbacks, once: synchronously if `work` is synchronous, otherwise when
 * the promise it returned settles. The callbacks are endwell's own and must not throw.
 */
export function attempt<T>(
  work: () => T | PromiseLike<T>,
  done: (value: T) => void,
  failed: (error: unknown) => void,
): void {
  let value: T | PromiseLike<T>
  try {
    value = work()
  } catch (error) {
    return failed(error)
  }
  observe(value, done, failed)
}

/** Like `attempt`, for a result that is there already. */
export function observe<T>(
  result: T | PromiseLike<T>,
  done: (value: T) => void,
  failed: (error: unknown) => void,
): void {
  try {
    const then = thenOf(result)
    if (then) return follow(result as PromiseLike<T>, then, done, failed)
  } catch (error) {
    return failed(error)
  }
  done(result as T)
}

/**
 * Calls `work` and returns its result, or `undefined` if it throws. What it throws goes to `failed`, and so does the
 * rejection of a promise it returns; the promise itself is returned. `failed` is called once at most, and may itself
 * throw or reject: that error is dropped, because no one is left to receive it.
 */
export function callOut<T>(work: () => T, failed: (error: unknown) => void): T | undefined
/** The same for a function that takes an argument. For hot paths: a closure per call would be garbage. */
export function callOut<T, Given>(
  work: (given: Given) => T,
  failed: (error: unknown) => void,
  given: Given,
): T | undefined
export function callOut<T, Given>(
  work: (given: Given | undefined) => T,
  failed: (error: unknown) => void,
  given?: Given,
): T | undefined {
  try {
    return watched(work(given), failed)
  } catch (error) {
    report(failed, error)
    return undefined
  }
}

/**
 * The named methods of `thing`, each called through `callOut`. `failed` is called once per method at most: a line that
 * cannot play fails again with every frame, fifty times a second, and the first error says it all.
 */
export function shelter<T extends object, Name extends keyof T & string>(
  thing: T,
  names: readonly Name[],
  failed: (error: unknown) => void,
): Pick<T, Name> {
  const sheltered: Partial<Record<Name, unknown>> = {}
  for (const name of names) {
    const failedOnce = once(failed)
    const method = (...args: unknown[]): unknown =>
      callOut(() => Reflect.apply(thing[name] as Method, thing, args), failedOnce)
    sheltered[name] = method
  }
  return sheltered as Pick<T, Name>
}

/** Like `callOut`, for `sink.push(value)`. It allocates nothing, because it runs for every frame of every call. */
export function pushTo<T>(
  sink: { push(value: T): unknown },
  value: T,
  failed: (error: unknown) => void,
): void {
  try {
    watched(sink.push(value), failed)
  } catch (error) {
    report(failed, error)
  }
}

/** Calls a function for the first error only. */
export function once(failed: (error: unknown) => void): (error: unknown) => void {
  let reported = false
  return (error) => {
    if (reported) return
    reported = true
    // Returned, so that `callOut` also sees it reject.
    return failed(error)
  }
}

type Method = (...args: unknown[]) => unknown
type Then = PromiseLike<unknown>['then']

/** Returns a result as it is. If it is a promise that rejects, `failed` is called. Throws what looking at it throws. */
function watched<T>(value: T, failed: (error: unknown) => void): T {
  const then = thenOf(value)
  if (then) follow(value as PromiseLike<unknown>, then, noop, (error) => report(failed, error))
  return value
}

function report(failed: (error: unknown) => void, error: unknown): void {
  if (failed !== noop) callOut(() => failed(error), noop)
}

/** The `then` of a promise or any other thenable. Throws what the getter throws. */
function thenOf(value: unknown): Then | undefined {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return undefined
  // Read once: a getter may answer differently the next time.
  const { then } = value as { then?: unknown }
  return typeof then === 'function' ? (then as Then) : undefined
}

/** Subscribes to a thenable. Throws, without having subscribed, if a promise cannot be subscribed to. */
function follow<T>(
  promise: PromiseLike<T>,
  then: Then,
  done: (value: T) => void,
  failed: (error: unknown) => void,
): void {
  // A genuine promise keeps the rules by itself, and most results are one.
  if (then === Promise.prototype.then && promise instanceof Promise) {
    Reflect.apply(then, promise, [done, failed])
    return
  }
  // Any other thenable may call back twice, throw after it called back, or resolve to another thenable.
  new Promise<T>((resolve, reject) => {
    Reflect.apply(then, promise, [resolve, reject])
  }).then(done, failed)
}
