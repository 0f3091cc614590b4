import type { Clock, Live, Timer } from '../scope/index.ts'
import { SimClock } from './sim-clock.ts'

/**
 * Schedules an event outside the code under test: a server answers, a caller speaks. The timer is not listed among the
 * clock's timers, so a leak check never blames the code under test for it.
 */
export function outsideTimer(clock: Clock, ms: number, name: string, callback: () => void): Timer {
  if (clock instanceof SimClock) return clock.happen(ms, name, callback)
  const timer = clock.after(ms, name, callback)
  clock.timers.remove(timer as Timer & Live)
  return timer
}
