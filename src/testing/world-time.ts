import type { Clock, Live, Timer } from '../scope/index.ts'
import { SimClock } from './sim-clock.ts'

/**
 * Schedules what happens beyond the code under test: a server thinks, a caller speaks. These are no timers of the code:
 * they do not stand among the timers of its clock, so none of them counts as its leak.
 */
export function inTheWorld(clock: Clock, ms: number, name: string, callback: () => void): Timer {
  if (clock instanceof SimClock) return clock.happen(ms, name, callback)
  const timer = clock.after(ms, name, callback)
  clock.timers.remove(timer as Timer & Live)
  return timer
}

/** What waiting for something that never comes returns. */
export function never(): Promise<never> {
  return new Promise(() => {})
}
