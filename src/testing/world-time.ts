import type { Clock, Timer } from '../scope/index.ts'
import { SimClock } from './sim-clock.ts'

/**
 * Schedules what happens beyond the code under test: a server thinks, a caller speaks. On virtual time these are no
 * timers of the code, so none of them counts as its leak.
 */
export function inTheWorld(clock: Clock, ms: number, name: string, callback: () => void): Timer {
  return clock instanceof SimClock ? clock.happen(ms, name, callback) : clock.after(ms, name, callback)
}

/** What waiting for something that never comes returns. */
export function never(): Promise<never> {
  return new Promise(() => {})
}
