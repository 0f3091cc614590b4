import { systemClock, type Timer } from '../../src/scope/index.ts'
import type { SessionReport } from '../../src/session/index.ts'
import { CLOSE_WITHIN, Call } from './call.ts'
import { phases } from './phases.ts'
import type { Subject } from './subjects.ts'

/** How long it may take until the other side has seen an end that we have made: two event loops, one kernel. */
const SEEN_WITHIN = 150

export interface Case {
  readonly subject: Subject
  readonly phase: string
  /** The public report that it tells again. */
  readonly tale?: string
}

export interface Outcome {
  readonly report: SessionReport
  /** From the ask to the report. */
  readonly took: number
  /** Connections that the other side still had when the time was up. */
  readonly leaked: number
  /** Looks again, later: connections that were opened after the close was asked for. */
  readonly openedAfterClose: () => number
  readonly end: () => Promise<void>
}

export const nameOf = ({ subject, phase, tale }: Case): string =>
  `${subject.name} · ${phase}${tale === undefined ? '' : ` (${tale})`}`

/** Brings a call to a phase, closes the session, and counts what the other side has left. */
export async function runCase({ subject, phase }: Case): Promise<Outcome> {
  const call = await Call.prepare(subject)
  const { far, session } = call
  const { arrive, meanwhile } = phases[phase]!
  await within(10_000, `arriving at '${phase}'`, arrive(call))
  const atAsk = far.total
  const began = systemClock.now()
  meanwhile?.(call)
  const report = await within(CLOSE_WITHIN + 500, 'close()', session.close())
  const took = systemClock.now() - began
  // A protocol over HTTP says its goodbye in requests of their own: those are none.
  const total = subject.holds === 'requests' ? far.total : atAsk
  const left = Math.max(0, CLOSE_WITHIN - took) + SEEN_WITHIN
  await within(
    left,
    'the end of all connections',
    far.until(() => far.open === 0),
  ).catch(() => {})
  return {
    report,
    took,
    leaked: far.open,
    openedAfterClose: () => far.total - total,
    end: () => far.close(),
  }
}

/** What the promise becomes, if it does in time. */
export function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer: Timer = systemClock.after(ms, what, () => reject(new Error(`${what}: not within ${ms} ms`)))
    promise.then(resolve, reject).finally(() => timer.clear())
  })
}
