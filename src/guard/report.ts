import { formatReport, plain, type FormatOptions } from '../report/index.ts'
import type { ScopeReport } from '../scope/index.ts'
import type { LateErrorReport } from './guard-context.ts'
import type { SeveredReport } from './open-resources.ts'
import type { TimersReport } from './timers.ts'

/** A connection that was open at the end and that no guard owns. */
export interface UnownedReport {
  readonly to: string
  /** Milliseconds since it was opened. */
  readonly age: number
}

/**
 * The report of a guard: the report of its scope, with the session's own close and everything it had opened as steps,
 * plus the fields below. Plain JSON, frozen, the same object for all callers.
 */
export interface GuardReport extends ScopeReport {
  /**
   * True if the session's own close resolved, nothing had to be severed, and there are no unowned connections.
   * `unverified` if only the last condition fails, otherwise false.
   */
  readonly graceful: boolean | 'unverified'
  /** What had not ended by itself and was cut off. */
  readonly severed: readonly SeveredReport[]
  /** How many attempts of the session to open something were refused. */
  readonly refused: number
  /** Connections opened outside every guard's context during the session, and still open. They may be the session's. */
  readonly unowned: readonly UnownedReport[]
  readonly timers: TimersReport
  /** Uncaught errors of the session since closing began. Errors after the report go to `onLate`. */
  readonly late: readonly LateErrorReport[]
}

/** Formats a report for a terminal: the waterfall of the close, then the guard's own fields. */
export function formatGuard(report: GuardReport, options: FormatOptions = {}): string {
  const { graceful, severed, refused, unowned, timers, late } = report
  const count = (value: number, text: string): string[] => (value > 0 ? [`${value} ${text}`] : [])
  const facts = [
    graceful === true ? 'graceful' : graceful === false ? 'NOT graceful' : 'graceful, but unverified',
    ...count(severed.length, 'severed'),
    ...count(refused, 'refused'),
    ...count(unowned.length, 'unowned'),
    ...count(timers.cleared, 'intervals cleared'),
    ...count(timers.unreffed, 'timeouts unreffed'),
    ...count(late.length, 'late errors'),
  ]
  return [
    formatReport(report, options),
    `  guard: ${facts.join(' · ')}`,
    ...unowned.map(({ to, age }) => `  unowned: connection to ${plain(to)}, open for ${Math.round(age)} ms`),
    ...late.map(
      ({ origin, at, error }) => `  late: ${origin} at ${at} ms: ${plain(`${error.name}: ${error.message}`)}`,
    ),
  ].join('\n')
}
