import { noop, type Scope } from '../scope/index.ts'

/** The outcome of a wait with a time limit. */
export type Bounded<T> =
  | { readonly how: 'done'; readonly value: T }
  | { readonly how: 'failed'; readonly error: unknown }
  | { readonly how: 'late' }

/**
 * Waits for a promise, for at most `ms` and only until the scope closes. Never rejects, and leaves no timer and no
 * unhandled rejection behind.
 */
export async function bounded<T>(
  scope: Scope<string>,
  ms: number,
  name: string,
  promise: PromiseLike<T>,
): Promise<Bounded<T>> {
  if (scope.state !== 'live') {
    promise.then(noop, noop)
    return { how: 'late' }
  }
  return new Promise((resolve) => {
    const settle = (outcome: Bounded<T>): void => {
      timer.clear()
      resolve(outcome)
    }
    const timer = scope.after(ms, name, () => resolve({ how: 'late' }))
    scope.until(promise).then(
      (value) => settle({ how: 'done', value }),
      (error: unknown) => settle(scope.state === 'live' ? { how: 'failed', error } : { how: 'late' }),
    )
  })
}
