import type { CancelListener } from './cancel.ts'
import type { Timer } from './clock.ts'
import { attempt } from './edge.ts'
import { CancelledError, ScopeClosedError, isAnswerTo, withoutStack } from './errors.ts'
import type { LateSink, Ledger } from './ledger.ts'
import { noop } from './noop.ts'
import { Owned } from './owned.ts'
import type { ScopeReport, TaskOutcome } from './report.ts'
import type { CloseOptions, Scope } from './scope.ts'
import { duration } from './settings.ts'

/** What a task is given to work with. Its functions may be taken out of it: `({ signal, until }) => …`. */
export interface TaskContext {
  readonly name: string
  /** Aborts when the task is asked to stop. Built when first read. */
  readonly signal: AbortSignal
  readonly cancelled: boolean
  /** The scope that owns the task. Reading it throws `ScopeClosedError` once the task was abandoned. */
  readonly scope: Scope<string>
  /** Calls `listener` once when the task is asked to stop. Returns the way to unsubscribe. */
  readonly onCancel: (listener: CancelListener) => () => void
  /** What the promise becomes; throws the reason as soon as the task is asked to stop. */
  readonly until: <T>(promise: PromiseLike<T>) => Promise<T>
  /** Waits on the scope's clock; throws the reason as soon as the task is asked to stop. */
  readonly sleep: (ms: number) => Promise<void>
  /** Closes the scope that owns the task, without waiting for this very task (SC16). */
  readonly close: (options?: CloseOptions) => Promise<ScopeReport>
}

/** A piece of work that a scope owns, seen from outside. */
export interface TaskHandle<T> {
  readonly name: string
  /** How it ended; undefined while it runs. */
  readonly outcome: TaskOutcome | undefined
  /**
   * What the task returned. Rejects with what it threw, or with `ScopeClosedError` if it was abandoned. It always
   * settles and is never an unhandled rejection: what nobody reads stands in the scope's report.
   */
  readonly result: Promise<T>
  /** Asks it to stop. Returns at once; `result` tells when it has. */
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
  /** What it returned or threw. */
  readonly value: unknown
  /** The report of its scope, if it asked for that close itself. */
  readonly report: Promise<ScopeReport> | undefined
  /** Where its real outcome goes, if it was given up and comes after the books were closed. */
  late: LateSink | undefined
}

/** The handle and the context are one object: there are many tasks, and most are never looked at. */
export class Task<T> extends Owned implements TaskContext, TaskHandle<T> {
  readonly #shield: Shield | undefined
  #end: End | undefined
  #result: { readonly promise: Promise<T>; readonly settle: () => void } | undefined

  constructor(ledger: Ledger, name: string, phase: number, shield = 0) {
    super(ledger, name, phase)
    if (duration('shield', shield) > 0)
      this.#shield = { ms: shield, timer: undefined, cancelledAt: undefined }
  }

  get kind(): 'task' | 'opening' {
    return 'task'
  }

  /** Like `run`, for a resource on its way: the caller hears of a cancel at once, not when the opener does (SC7). */
  opening(work: (context: TaskContext) => PromiseLike<T>): Promise<T> {
    let reject: (error: unknown) => void = noop
    let settle: () => void = noop
    const ready = new Promise<T>((resolve, refuse) => {
      reject = refuse
      settle = () => this.#settle(resolve, refuse)
    })
    this.#result = { promise: ready, settle }
    const { name } = this.#books('open')
    this.onCancel((reason) => {
      ready.catch(noop)
      reject(withoutStack(() => new ScopeClosedError(name, `open '${this.name}'`, reason)))
    })
    this.run(work)
    return ready
  }

  /** Starts the work, now. What it throws, now or later, becomes its outcome. */
  run(work: (context: TaskContext) => T | PromiseLike<T>): this {
    // Bound, not closures: those would keep the work alive as long as it runs, and all that it knows (SC9).
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

  /** Closing comes with its reason and respects the shield; everybody else comes with words, and does not. */
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

  // ── the context ──

  get scope(): Scope<string> {
    return this.#books(`use the context of task '${this.name}'`).scope
  }

  // `onCancel` and `until` are the token's. Getters, so that each can be taken out of the context and called alone.

  get sleep(): TaskContext['sleep'] {
    return async (ms) => {
      this.throwIfCancelled()
      const { clock } = this.#books('sleep')
      let timer: Timer | undefined
      const over = new Promise<void>((resolve) => {
        timer = clock.after(duration('sleep', ms), `sleep of '${this.name}'`, resolve)
      })
      try {
        await this.until(over)
      } finally {
        timer?.clear()
      }
    }
  }

  get close(): TaskContext['close'] {
    return async (options) => {
      // Once it is on its own, all it can get is the report it asked for.
      return this.#end?.report ?? this.scope.close({ ...options, from: this })
    }
  }

  // ── closing ──

  override sooner(): void {
    if (!this.#shield?.timer || !this.ledger?.closing) return
    const { reason } = this.ledger.closing
    this.#shield.timer.clear()
    const left = this.#shield.ms - (this.ledger.clock.now() - this.ledger.closing.askedAt)
    this.#shield.timer = this.ledger.closing.afterShield(left, this.name, () => this.#stop(reason))
  }

  hold(share: number): number {
    return Math.min(this.ledger?.settings.taskCap ?? 0, share)
  }

  /** It asks to close `closing`, the scope that owns it or one above: nobody there shall wait for it. */
  exemptFrom(closing: Ledger): void {
    for (let ledger = this.ledger; ledger; ledger = ledger.parent) {
      if (ledger !== closing) continue
      this.ledger!.exempt(this)
    }
  }

  force(): void {
    if (!this.ledger?.closing) return
    const { closing } = this.ledger
    this.#stop(closing.reason)
    // Being told to stop can have ended it, by a listener that settles synchronously.
    const ledger = this.leave()
    if (!ledger) return
    const error = withoutStack(
      () => new ScopeClosedError(ledger.name, `wait for task '${this.name}'`, closing.reason),
    )
    const report = ledger.askedBy(this)
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
    this.#ended(reason && isAnswerTo(reason, error) ? 'cancelled' : 'failed', error)
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
    this.#end = { outcome, value, report: ledger.askedBy(this), late: undefined }
    // A failure that nobody asked for would be lost: while the scope lives, that is a problem (SC1).
    if (outcome === 'failed' && !this.#result && !ledger.closing)
      this.problems.add(`task '${this.name}'`, value)
    this.#record(ledger, this.#end)
  }

  #record(ledger: Ledger, { outcome, value }: End): void {
    if (this.kind === 'task') ledger.totals[outcome]++
    ledger.closing?.recordTask(this, outcome, this.#shield?.cancelledAt, value)
    ledger.ended(this, outcome)
    this.#result?.settle()
  }

  #settle(resolve: (value: T) => void, reject: (error: unknown) => void): void {
    if (this.#end?.outcome === 'ended') resolve(this.#end.value as T)
    else reject(this.#end?.value)
  }

  #books(what: string): Ledger {
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
