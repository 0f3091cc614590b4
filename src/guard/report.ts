import { formatReport, plain, type FormatOptions } from '../report/index.ts'
import type { ScopeReport } from '../scope/index.ts'
import type { LateErrorReport } from './guard-context.ts'
import type { SeveredReport } from './open-resources.ts'
import type { TimersReport } from './timers.ts'

/** A connection that was open at the end and belongs to nobody who is known. */
export interface UnownedReport {
  readonly to: string
  /** Milliseconds since it was opened. */
  readonly age: number
}

/**
 * The report of a guard: that of its scope, in which the session's own close and everything it had opened are steps,
 * and what only a guard knows. Plain JSON, frozen, the same object for everybody who asked.
 */
export interface GuardReport extends ScopeReport {
  /**
   * True only if the session's own close resolved, nothing had to be severed, and no connection is unowned; false if one
   * of the first two does not hold; `unverified` if only the last does not.
   */
  readonly graceful: boolean | 'unverified'
  /** What had not ended by itself, and was cut off. */
  readonly severed: readonly SeveredReport[]
  /** How often the session wanted to open something while it was closing, and was not let. */
  readonly refused: number
  /** Connections opened in no guard's context during the session's life and open at its end: they may be the session's. */
  readonly unowned: readonly UnownedReport[]
  readonly timers: TimersReport
  /** Errors of the session that nobody caught, from the ask to this report. Later ones go to `onLate`. */
  readonly late: readonly LateErrorReport[]
}

/** The report for a terminal: the waterfall of the close, then what only a guard knows. */
export function formatGuard(report: GuardReport, options: FormatOptions = {}): string {
  const { graceful, severed, refused, unowned, timers, late } = report
  const count = (value: number, text: string): string[] => (value > 0 ? [`${value} ${text}`] : [])
  const facts = [
    graceful === true ? 'graceful' : graceful === false ? 'NOT graceful' : 'graceful, but unverified',
    ...count(severed.length, 'severed'),
    ...count(refused, 'refused'),
    ...count(unowned.length, 'unowned'),
    ...count(timers.cleared, 'intervals cleared'),
    ...count(timers.unreffed, 'timeouts let go'),
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
