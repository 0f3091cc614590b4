import { systemClock } from '../../src/scope/index.ts'

/** Resolves to whether the promise resolves within `ms` milliseconds. */
export function within(ms: number, what: string, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = systemClock.after(ms, what, () => resolve(false))
    promise.then(() => resolve(true), reject).finally(() => timer.clear())
  })
}
