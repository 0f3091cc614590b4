import { systemClock, type Timer } from '../../src/scope/index.ts'
import type { SessionReport } from '../../src/session/index.ts'
import { CLOSE_TIMEOUT, Call } from './call.ts'
import { phases } from './phases.ts'
import type { Subject } from './subject.ts'

/** How long the vendor's side may take to notice the end of a connection. */
const NOTICE_TIMEOUT = 150

export interface Case {
  readonly subject: Subject
  readonly phase: string
  /** The public bug report that the case reproduces. */
  readonly bugReport?: string
}

export interface Outcome {
  readonly report: SessionReport
  /** Milliseconds from `close()` to the report. */
  readonly took: number
  /** Connections that were still open on the vendor's side after the deadline. */
  readonly leaked: number
  /** Counts the connections that were opened after `close()`. To be called later. */
  readonly openedAfterClose: () => number
  readonly end: () => Promise<void>
}

export const nameOf = ({ subject, phase, bugReport }: Case): string =>
  `${subject.name} · ${phase}${bugReport === undefined ? '' : ` (${bugReport})`}`

/** Brings a call into a phase, closes the session, and counts the connections on the vendor's side. */
export async function runCase({ subject, phase }: Case): Promise<Outcome> {
  const call = await Call.prepare(subject)
  const { vendor, session } = call
  const { arrive, meanwhile } = phases[phase]!
  await within(10_000, `arriving at '${phase}'`, arrive(call))
  const totalAtClose = vendor.total
  const startedAt = systemClock.now()
  meanwhile?.(call)
  const report = await within(CLOSE_TIMEOUT + 500, 'close()', session.close())
  const took = systemClock.now() - startedAt
  // Over HTTP, the protocol's own end takes further requests, which do not count.
  const total = subject.holds === 'requests' ? vendor.total : totalAtClose
  const left = Math.max(0, CLOSE_TIMEOUT - took) + NOTICE_TIMEOUT
  await within(
    left,
    'the end of all connections',
    vendor.until(() => vendor.open === 0),
  ).catch(() => {})
  return {
    report,
    took,
    leaked: vendor.open,
    openedAfterClose: () => vendor.total - total,
    end: () => vendor.close(),
  }
}

/** Awaits a promise. Rejects after `ms` milliseconds. */
export function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer: Timer = systemClock.after(ms, what, () =>
      reject(new Error(`${what} took longer than ${ms} ms`)),
    )
    promise.then(resolve, reject).finally(() => timer.clear())
  })
}
