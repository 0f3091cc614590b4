import { JournalUnavailableError, type Journal } from '../host/journal/index.ts'
import type { Clock } from '../scope/index.ts'
import { outsideTimer } from './outside-timer.ts'

/**
 * What can happen to a request to a journal.
 * - `fail`: nothing is written, and the request rejects
 * - `hang`: nothing is written, and the request never settles
 * - `lost`: it is done, but the answer is lost: the request rejects
 * - `late`: it is done, and answered this many milliseconds later
 */
export type JournalFault = 'fail' | 'hang' | 'lost' | { readonly late: number }

/** Called for each request with the name of its method. Returns what happens to the request. */
export type JournalFaults = (method: keyof Journal) => JournalFault | undefined

/** Does the work of a request, with the fault. */
export async function withFault<T>(clock: Clock, fault: JournalFault | undefined, work: () => T): Promise<T> {
  if (fault === 'fail') throw new JournalUnavailableError('memory', 'injected fault')
  if (fault === 'hang') return new Promise(() => {})
  const answer = work()
  if (fault === 'lost') throw new JournalUnavailableError('memory', 'injected fault: the answer is lost')
  if (fault) await new Promise<void>((done) => outsideTimer(clock, fault.late, 'late answer', done))
  return answer
}
