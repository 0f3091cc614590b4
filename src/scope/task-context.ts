import type { CancelListener } from './cancel.ts'
import type { ScopeReport } from './report.ts'

/**
 * What a task gets to work with. Its functions can be destructured: `({ signal, until }) => …`.
 *
 * `Owner` is the type of the owning scope. It is a parameter because tasks are defined below scopes.
 */
export interface TaskContextOf<Owner> {
  readonly name: string
  /** Aborts when the task is cancelled. Built on first use. */
  readonly signal: AbortSignal
  readonly cancelled: boolean
  /** The scope that owns the task. Throws `ScopeClosedError` once the task was abandoned. */
  readonly scope: Owner
  /** Calls `listener` once when the task is cancelled. Returns an unsubscribe function. */
  readonly onCancel: (listener: CancelListener) => () => void
  /** Settles like the promise, or rejects with the reason as soon as the task is cancelled. */
  readonly until: <T>(promise: PromiseLike<T>) => Promise<T>
  /** Waits on the scope's clock. Rejects with the reason as soon as the task is cancelled. */
  readonly sleep: (ms: number) => Promise<void>
  /** Closes the scope that owns the task, without waiting for this task (SC16). */
  readonly close: (options?: CloseOptions) => Promise<ScopeReport>
}

/** The part of a scope that its tasks call. */
export interface Closable {
  close(options?: CloseOptions): Promise<ScopeReport>
}

export interface CloseOptions {
  /** Why the scope is closed. The first request decides. Default: `closed`. */
  reason?: string
  /** Who requests the close. */
  by?: string
  /** Milliseconds until the report. The first request fixes the deadline; later ones can only shorten it. */
  closeTimeout?: number
  /** The requesting task, if it belongs to this scope or one below: the close will not wait for it (SC16). */
  from?: TaskContextOf<unknown>
}
