/**
 * The report of a close: plain JSON, frozen, and the same object for every caller (SC5, CL13).
 *
 * All times are milliseconds. `at` counts from the moment the close was first requested.
 */
export interface ScopeReport {
  /** Incremented when a field changes its meaning. New fields alone do not change it. */
  readonly version: 1
  readonly name: string
  /** Why the scope was closed, in the words of the first request. */
  readonly reason: string
  /** Who requested the close, if known. */
  readonly by?: string
  /** When the close was requested, as ISO 8601. */
  readonly askedAt: string
  /** From the creation of the scope to the request. */
  readonly lived: number
  /** From the request to this report. */
  readonly took: number
  /** The deadline at the end of the close. `took` exceeds it only if the thread was blocked. */
  readonly closeTimeout: number
  /** The phases of the scope, in order. */
  readonly phases: readonly string[]
  /** True only if nothing was forced, failed, abandoned, pending or late, here and in the children (SC20). */
  readonly clean: boolean
  /** Later requests, while the scope was closing. */
  readonly alsoAsked: readonly Ask[]
  /** Resources and deferred work, ordered by when their end began. */
  readonly steps: readonly StepReport[]
  /** Tasks that were running when closing began. */
  readonly tasks: readonly TaskReport[]
  /** Child scopes that had not closed when closing began. */
  readonly children: readonly ChildReport[]
  /** Errors that no caller could receive: failed listeners and aborts, failed tasks without an observer. */
  readonly problems: readonly Problem[]
  /** How all tasks of the scope ended, since its creation. */
  readonly totals: Readonly<Record<TaskOutcome, number>>
  /** Entries left out of the lists above because there were too many. Unclean entries are kept first. */
  readonly omitted: number
}

/** A request to close. */
export interface Ask {
  readonly reason: string
  readonly by?: string
  readonly at: number
}

/**
 * How the end of a resource, or a deferred step, went.
 * - `done`: in time, without an error
 * - `failed`: it threw
 * - `timed-out`: it did not finish in its time; a resource was then aborted
 * - `skipped`: it had no time to begin; a resource was aborted instead
 * - `pending`: deferred work that continues in the background; its outcome goes to `onLate`
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
  /** Whether `abort()` was called. */
  readonly forced: boolean
  readonly error?: ErrorReport
}

/**
 * How a task ended.
 * - `ended`: it returned
 * - `cancelled`: it was cancelled, and stopped
 * - `failed`: it threw an error that no cancel explains
 * - `abandoned`: it was still running at the end of the budget
 * - `closer`: it requested this close itself, so the close did not wait for it
 */
export type TaskOutcome = 'ended' | 'cancelled' | 'failed' | 'abandoned' | 'closer'

export interface TaskReport {
  readonly name: string
  /** An `opening` is the task that opens a resource. */
  readonly kind: 'task' | 'opening'
  readonly phase: string
  readonly outcome: TaskOutcome
  /** When it ended or was abandoned. */
  readonly at: number
  /** When a shielded task was cancelled. Every other task is cancelled at 0. */
  readonly cancelledAt?: number
  readonly error?: ErrorReport
}

export interface ChildReport {
  readonly phase: string
  /** When its phases began to run. */
  readonly at: number
  /** When its close was requested. Times in its own report count from here; negative if it was closing before. */
  readonly askedAt: number
  readonly report: ScopeReport
}

export interface Problem {
  /** What failed: `abort of 'feed'`, `task 'poll'`, `timer 'beat'`. */
  readonly where: string
  readonly at: number
  readonly error: ErrorReport
}

export interface ErrorReport {
  readonly name: string
  readonly message: string
  readonly code?: string
}

/** An outcome, or an error, that came after the scope had closed. Delivered exactly once (SC9, SC14, SC19). */
export interface Late {
  /** The names of the scopes from the root to the owner, joined by `/`. */
  readonly scope: string
  readonly name: string
  /** A `problem` is an error that no caller could receive; its `name` says where it came from. */
  readonly kind: 'task' | 'opening' | 'resource' | 'deferred' | 'problem'
  /** `timed-out`: deferred work that did not finish within `releaseTimeout` either. */
  readonly outcome: 'ended' | 'cancelled' | 'failed' | 'timed-out'
  /** What a late task returned. Never a late resource, because that has been aborted. */
  readonly value?: unknown
  readonly error?: unknown
  /** Milliseconds since the close was requested. */
  readonly at: number
}
