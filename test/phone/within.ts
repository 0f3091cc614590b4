import { clock } from './clock.ts'

/** Resolves to whether the promise resolves within `ms` milliseconds. */
export function within(ms: number, what: string, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, what, () => resolve(false))
    promise.then(() => resolve(true), reject).finally(() => timer.clear())
  })
}
