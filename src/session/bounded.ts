import { noop, type Scope } from '../scope/index.ts'

/** How something that had a limited time went. */
export type Bounded<T> =
  | { readonly how: 'done'; readonly value: T }
  | { readonly how: 'failed'; readonly error: unknown }
  | { readonly how: 'late' }

/** Waits for a promise, but not longer than `ms` and not once the scope is closing. Never throws; leaves noop behind. */
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
