import type { Clock } from './clock.ts'

/** Resolves after some milliseconds, or as soon as the signal aborts. For those who have no scope of their own. */
export function pause(clock: Clock, ms: number, name: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = (): void => {
      timer.clear()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = clock.after(ms, name, done)
    signal.addEventListener('abort', done)
  })
}
