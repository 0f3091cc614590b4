import { isCancellation } from './cancellation.ts'
import type { Timer } from './clock.ts'
import { attempt } from './edge.ts'
import { CancelledError, ScopeClosedError, withoutStack } from './errors.ts'
import { noop } from './noop.ts'
import { Owned, type LateSink, type Owner } from './owned.ts'
import type { ScopeReport, TaskOutcome } from './report.ts'
import { duration } from './settings.ts'
import type { Closable, TaskContextOf } from './task-context.ts'

/** A task as its spawner sees it. */
export interface TaskHandle<T> {
  readonly name: string
  /** How the task ended; undefined while it runs. */
  readonly outcome: TaskOutcome | undefined
  /**
   * What the task returned. Rejects with what the task threw, or with `ScopeClosedError` if it was abandoned. Always
   * settles, and is never an unhandled rejection: a failure that is not observed is in the scope's report.
   */
  readonly result: Promise<T>
  /** Cancels the task. Returns at once; `result` settles when the task has ended. */
  cancel(why?: string): void
}

/** For how long a close does not cancel a task (SC13). */
interface Shield {
  readonly ms: number
  timer: Timer | undefined
  cancelledAt: number | undefined
}

/** How a task ended. */
interface End {
  readonly outcome: TaskOutcome
  /** What the task returned or threw. */
  readonly value: unknown
  /** The report of the task's scope, if the task requested that close itself. */
  readonly report: Promise<ScopeReport> | undefined
  /** Receives the real outcome of an abandoned task. */
  late: LateSink | undefined
}

/** A task is its own handle and its own context, because there are many tasks and most are never looked at. */
export class Task<T> extends Owned implements TaskContextOf<unknown>, TaskHandle<T> {
  readonly #shield: Shield | undefined
  #end: End | undefined
  #result: { readonly promise: Promise<T>; readonly settle: () => void } | undefined

  constructor(ledger: Owner, name: string, phase: number, shield = 0) {
    super(ledger, name, phase)
    if (duration('shield', shield) > 0)
      this.#shield = { ms: shield, timer: undefined, cancelledAt: undefined }
  }

  get kind(): 'task' | 'opening' {
    return 'task'
  }

  /** Like `run`, for the opening of a resource: the result rejects as soon as the task is cancelled (SC7). */
  opening(work: (context: TaskContextOf<unknown>) => PromiseLike<T>): Promise<T> {
    let reject: (error: unknown) => void = noop
    let settle: () => void = noop
    const ready = new Promise<T>((resolve, refuse) => {
      reject = refuse
      settle = () => this.#settle(resolve, refuse)
    })
    this.#result = { promise: ready, settle }
    const { name } = this.#ledgerTo('open')
    this.onCancel((reason) => {
      ready.catch(noop)
      reject(withoutStack(() => new ScopeClosedError(name, `open '${this.name}'`, reason)))
    })
    this.run(work)
    return ready
  }

  /** Starts the work now. What it throws, now or later, becomes the outcome. */
  run(work: (context: TaskContextOf<unknown>) => T | PromiseLike<T>): this {
    // Bound functions: closures would keep the work alive for as long as it runs (SC9).
    attempt(() => work(this), this.#returned.bind(this), this.#threw.bind(this))
    return this
  }

  // ── the handle ──

  get outcome(): TaskOutcome | undefined {
    return this.#end?.outcome
  }

  get result(): Promise<T> {
    if (!this.#result) {
      let settle: () => void = noop
      const promise = new Promise<T>((resolve, reject) => {
        settle = () => this.#settle(resolve, reject)
      })
      promise.catch(noop)
      this.#result = { promise, settle }
      if (this.#end) settle()
    }
    return this.#result.promise
  }

  /** Closing passes its reason and respects the shield. Any other caller passes text, and cancels at once. */
  override cancel(why?: string | CancelledError): void {
    if (this.#end || this.cancelled) return
    const closing = this.ledger?.closing
    if (why instanceof CancelledError && this.#shield && closing) {
      this.#shield.timer = closing.afterShield(this.#shield.ms, this.name, () => this.#stop(why))
    } else {
      this.#stop(why instanceof CancelledError ? why : this.#reason(why))
    }
  }

  #reason(why = `task '${this.name}' was cancelled`): CancelledError {
    return withoutStack(() => new CancelledError(why))
  }

  // ── the context; `onCancel` and `until` are inherited from the token ──

  get scope(): Closable {
    return this.#ledgerTo(`use the context of task '${this.name}'`).scope
  }

  // Getters, so that each function can be destructured from the context and called alone.

  get sleep(): TaskContextOf<unknown>['sleep'] {
    return async (ms) => {
      this.throwIfCancelled()
      const { clock } = this.#ledgerTo('sleep')
      let timer: Timer | undefined
      const elapsed = new Promise<void>((resolve) => {
        timer = clock.after(duration('sleep', ms), `sleep of '${this.name}'`, resolve)
      })
      try {
        await this.until(elapsed)
      } finally {
        timer?.clear()
      }
    }
  }

  get close(): TaskContextOf<unknown>['close'] {
    return async (options) => {
      // After it was abandoned, a task can only get the report that it requested.
      return this.#end?.report ?? this.scope.close({ ...options, from: this })
    }
  }

  // ── closing ──

  override deadlineMoved(): void {
    if (!this.#shield?.timer || !this.ledger?.closing) return
    const { reason } = this.ledger.closing
    this.#shield.timer.clear()
    const left = this.#shield.ms - (this.ledger.clock.now() - this.ledger.closing.askedAt)
    this.#shield.timer = this.ledger.closing.afterShield(left, this.name, () => this.#stop(reason))
  }

  hold(share: number): number {
    return Math.min(this.ledger?.settings.taskCap ?? 0, share)
  }

  /** Makes the close of `owner`, which is the task's own scope or one above it, not wait for this task. */
  exemptFrom(owner: Owner): void {
    for (let ledger = this.ledger; ledger; ledger = ledger.parent) {
      if (ledger !== owner) continue
      this.ledger!.exempt(this)
    }
  }

  force(): void {
    if (!this.ledger?.closing) return
    const { closing } = this.ledger
    this.#stop(closing.reason)
    // A cancel listener may have ended the task synchronously.
    const ledger = this.leave()
    if (!ledger) return
    const error = withoutStack(
      () => new ScopeClosedError(ledger.name, `wait for task '${this.name}'`, closing.reason),
    )
    const report = ledger.reportFor(this)
    this.#end = {
      outcome: report ? 'closer' : 'abandoned',
      value: error,
      report,
      late: ledger.abandon(this),
    }
    this.#record(ledger, this.#end)
  }

  #stop(reason: CancelledError): void {
    if (this.cancelled) return
    const ledger = this.ledger
    if (this.#shield) {
      this.#unshield()
      this.#shield.cancelledAt = ledger?.clock.now()
    }
    this.cancelWith(reason)
  }

  #unshield(): void {
    if (!this.#shield) return
    this.#shield.timer?.clear()
    this.#shield.timer = undefined
  }

  #returned(value: T): void {
    this.#ended('ended', value)
  }

  #threw(error: unknown): void {
    const { reason } = this
    this.#ended(reason && isCancellation(reason, error) ? 'cancelled' : 'failed', error)
  }

  #ended(outcome: 'ended' | 'cancelled' | 'failed', value: unknown): void {
    this.#unshield()
    const ledger = this.leave()
    if (!ledger) {
      const late = this.#end?.late
      if (this.#end) this.#end.late = undefined
      late?.(outcome === 'ended' ? { outcome, value } : { outcome, error: value })
      return
    }
    this.#end = { outcome, value, report: ledger.reportFor(this), late: undefined }
    // A failure that is not observed would be lost. While the scope is live, it is a problem (SC1).
    if (outcome === 'failed' && !this.#result && !ledger.closing)
      ledger.problems.add(`task '${this.name}'`, value)
    this.#record(ledger, this.#end)
  }

  #record(ledger: Owner, { outcome, value }: End): void {
    if (this.kind === 'task') ledger.totals[outcome]++
    ledger.closing?.builder.addTask(this, outcome, this.#shield?.cancelledAt, value)
    ledger.ended(this, outcome)
    this.#result?.settle()
  }

  #settle(resolve: (value: T) => void, reject: (error: unknown) => void): void {
    if (this.#end?.outcome === 'ended') resolve(this.#end.value as T)
    else reject(this.#end?.value)
  }

  #ledgerTo(what: string): Owner {
    if (!this.ledger) throw new ScopeClosedError(undefined, what, this.reason)
    return this.ledger
  }
}

/** The task that opens a resource. */
export class Opening<T> extends Task<T> {
  override get kind(): 'opening' {
    return 'opening'
  }
}
