/**
 * The report of a close: plain JSON, frozen, the same object for everybody who asked (SC5, CL13).
 *
 * All times are milliseconds. `at` counts from the moment closing was first asked for.
 */
export interface ScopeReport {
  /** Grows when a field changes its meaning; new fields alone do not change it. */
  readonly version: 1
  readonly name: string
  /** Why the scope was closed: the first ask names it. */
  readonly reason: string
  /** Who asked, if they said. */
  readonly by?: string
  /** When closing was asked for, as ISO 8601. */
  readonly askedAt: string
  /** From creation until closing was asked for. */
  readonly lived: number
  /** From the ask to this report. */
  readonly took: number
  /** The deadline in force at the end. `took` is never later, unless the thread was blocked. */
  readonly closeTimeout: number
  /** The phases in which it was ended, in order. */
  readonly phases: readonly string[]
  /** True only if nothing was forced, failed or abandoned, here and in the children. */
  readonly clean: boolean
  /** Asks that came later, while it was closing. */
  readonly alsoAsked: readonly Ask[]
  /** Resources and deferred work, in the order in which their endings began. */
  readonly steps: readonly StepReport[]
  /** Tasks that were running when closing began. */
  readonly tasks: readonly TaskReport[]
  /** Child scopes that were not closed when closing began. */
  readonly children: readonly ChildReport[]
  /** Errors nobody else was there to receive: throwing listeners and aborts, failed tasks without an observer. */
  readonly problems: readonly Problem[]
  /** How all tasks of the scope's whole life ended. */
  readonly totals: Readonly<Record<TaskOutcome, number>>
  /** Entries left out of the lists above because there were too many. Unclean ones are kept first. */
  readonly omitted: number
}

export interface Ask {
  readonly reason: string
  readonly by?: string
  readonly at: number
}

/**
 * How the ending of a resource, or a deferred step, went.
 * - `done`: in time, without an error
 * - `failed`: it threw
 * - `timed-out`: it was given its time and did not finish; a resource has then been aborted
 * - `skipped`: there was no time to begin; a resource has been aborted instead
 * - `pending`: deferred work that goes on in the background; its outcome goes to `onLate`
 */
export type StepOutcome = 'done' | 'failed' | 'timed-out' | 'skipped' | 'pending'

export interface StepReport {
  readonly name: string
  readonly kind: 'resource' | 'deferred'
  readonly phase: string
  readonly outcome: StepOutcome
  /** When it began. */
  readonly at: number
  readonly took: number
  /** `abort()` had to be called. */
  readonly forced: boolean
  readonly error?: ErrorReport
}

/**
 * How a task ended.
 * - `ended`: it returned
 * - `cancelled`: it was asked to stop, and stopped
 * - `failed`: it threw something else than the reason it was cancelled with
 * - `abandoned`: it was still running when the time was over
 * - `closer`: it asked for this close itself, so nobody waited for it
 */
export type TaskOutcome = 'ended' | 'cancelled' | 'failed' | 'abandoned' | 'closer'

export interface TaskReport {
  readonly name: string
  /** An `opening` is the task that opens a resource. */
  readonly kind: 'task' | 'opening'
  readonly phase: string
  readonly outcome: TaskOutcome
  /** When it ended, or was given up. */
  readonly at: number
  /** When a shielded task was cancelled, if it was; everybody else is cancelled at 0. */
  readonly cancelledAt?: number
  readonly error?: ErrorReport
}

export interface ChildReport {
  readonly phase: string
  /** When its phases began to run. */
  readonly at: number
  /** When it was asked to close, which the times in its own report count from; negative if it was closing before. */
  readonly askedAt: number
  readonly report: ScopeReport
}

export interface Problem {
  /** What threw: `listener of 'x'`, `abort of 'y'`, `task 'z'`. */
  readonly where: string
  readonly at: number
  readonly error: ErrorReport
}

export interface ErrorReport {
  readonly name: string
  readonly message: string
  readonly code?: string
}

/** An outcome, or an error, that came after its scope had closed. It is handed out exactly once (SC9, SC14). */
export interface Late {
  /** The scopes from the root down to the owner, joined by `/`. */
  readonly scope: string
  readonly name: string
  /** A `problem` is an error that no caller could catch; its `name` says where it came from. */
  readonly kind: 'task' | 'opening' | 'resource' | 'deferred' | 'problem'
  /** `timed-out`: deferred work that did not finish within `releaseTimeout` either. */
  readonly outcome: 'ended' | 'cancelled' | 'failed' | 'timed-out'
  /** What a late task returned. A late resource is never here: it has been aborted. */
  readonly value?: unknown
  readonly error?: unknown
  /** Milliseconds after the close had been asked for. */
  readonly at: number
}
