import { limits } from './limits.ts'
import { isActive, type SupervisorSettings, type WorkerState } from './worker-state.ts'

export interface CallPlaces {
  /** How many call workers are to be started now. */
  readonly missing: number
  /** Whether another call worker is starting or can be started. */
  readonly grows: boolean
}

/**
 * How many call workers a supervisor needs. `waiting` is the number of calls that wait for a worker.
 *
 * Isolated workers take one call each, so their number limits the number of calls. A call in a worker that drains counts,
 * too. One worker is always there, also beyond the limit: it serves the page and the API.
 */
export function callPlaces(
  { workers: wanted, isolated }: SupervisorSettings,
  workers: readonly WorkerState[],
  waiting: number,
): CallPlaces {
  const calls = workers.filter(({ role }) => role === 'calls')
  const active = calls.filter((worker) => isActive(worker))
  const starting = active.filter(({ phase }) => phase === 'starting').length
  const places = (target: number, most: number): CallPlaces => ({
    missing: Math.max(0, target - active.length),
    grows: starting > 0 || active.length < most,
  })
  if (!isolated) return places(wanted, wanted)
  const leaving = calls.filter(({ phase, calls: count }) => isLeaving(phase) && count > 0).length
  const busy = active.filter(({ calls: count }) => count > 0).length
  const most = Math.max(1, isolated.maxCalls - leaving)
  const target = Math.min(most, busy + waiting + wanted)
  // Processes that start all at once would only delay each other.
  const startable = Math.max(wanted, limits.starting) - starting
  return places(Math.min(target, active.length + startable), most)
}

const isLeaving = (phase: WorkerState['phase']): boolean => phase === 'draining' || phase === 'closing'
