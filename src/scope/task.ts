import { attempt } from './attempt.ts'
import { CancelToken, nothing, type CancelListener } from './cancel.ts'
import type { Timer } from './clock.ts'
import { CancelledError, ScopeClosedError, isAnswerTo, withoutStack } from './errors.ts'
import type { LateSink, Ledger } from './ledger.ts'
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

/** The handle and the context are one object: there are many tasks, and most are never looked at. */
export class Task<T> extends Owned implements TaskContext, TaskHandle<T> {
  readonly kind: 'task' | 'opening'
  readonly #token = new CancelToken()
  /** For how long a close does not cancel it (SC13). */
  readonly #shield: number
  #shieldTimer: Timer | undefined
  #cancelledAt: number | undefined
  #exempt = false
  #outcome: TaskOutcome | undefined
  /** What it returned or threw. */
  #ending: unknown
  #result: { readonly promise: Promise<T>; readonly settle: () => void } | undefined
  /** Where its outcome goes if it comes after the books were closed. */
  #late: LateSink | undefined
  /** The report it asked for itself. */
  #closed: Promise<ScopeReport> | undefined

  constructor(ledger: Ledger, kind: 'task' | 'opening', name: string, phase: number, shield = 0) {
    super(ledger, name, phase)
    this.kind = kind
    this.#shield = duration('shield', shield)
  }

  /** Like `run`, for a resource on its way: the caller hears of a cancel at once, not when the opener does (SC7). */
  opening(work: (context: TaskContext) => PromiseLike<T>): Promise<T> {
    let reject: (error: unknown) => void = nothing
    let settle: () => void = nothing
    const ready = new Promise<T>((resolve, refuse) => {
      reject = refuse
      settle = () => this.#settle(resolve, refuse)
    })
    this.#result = { promise: ready, settle }
    const { name } = this.#books('open')
    this.#token.onCancel((reason) => {
      ready.catch(nothing)
      reject(withoutStack(() => new ScopeClosedError(name, `open '${this.name}'`, reason)))
    })
    this.run(work)
    return ready
  }

  /** Starts the work, now. What it throws, now or later, becomes its outcome. */
  run(work: (context: TaskContext) => T | PromiseLike<T>): this {
    attempt(
      () => work(this),
      (value) => this.#end('ended', value),
      (error) => this.#threw(error),
    )
    return this
  }

  // ── the handle ──

  get outcome(): TaskOutcome | undefined {
    return this.#outcome
  }

  get result(): Promise<T> {
    if (!this.#result) {
      let settle: () => void = nothing
      const promise = new Promise<T>((resolve, reject) => {
        settle = () => this.#settle(resolve, reject)
      })
      promise.catch(nothing)
      this.#result = { promise, settle }
      if (this.#outcome) settle()
    }
    return this.#result.promise
  }

  /** Closing comes with its reason and respects the shield; everybody else comes with words, and does not. */
  override cancel(why?: string | CancelledError): void {
    if (this.#outcome || this.#token.cancelled) return
    const closing = this.ledger?.closing
    if (why instanceof CancelledError && this.#shield > 0 && closing) {
      this.#shieldTimer = closing.afterShield(this.#shield, this.name, () => this.#stop(why))
    } else {
      this.#stop(
        why instanceof CancelledError ? why : new CancelledError(why ?? `task '${this.name}' was cancelled`),
      )
    }
  }

  // ── the context ──

  get signal(): AbortSignal {
    return this.#token.signal
  }

  get cancelled(): boolean {
    return this.#token.cancelled
  }

  get scope(): Scope<string> {
    return this.#books(`use the context of task '${this.name}'`).scope
  }

  // The next four are getters so that each can be taken out of the context and called alone.

  get onCancel(): TaskContext['onCancel'] {
    return (listener) => this.#token.onCancel(listener)
  }

  get until(): TaskContext['until'] {
    return (promise) => this.#token.until(promise)
  }

  get sleep(): TaskContext['sleep'] {
    return async (ms) => {
      this.#token.throwIfCancelled()
      const { clock } = this.#books('sleep')
      let timer: Timer | undefined
      const over = new Promise<void>((resolve) => {
        timer = clock.after(duration('sleep', ms), `sleep of '${this.name}'`, resolve)
      })
      try {
        await this.#token.until(over)
      } finally {
        timer?.clear()
      }
    }
  }

  get close(): TaskContext['close'] {
    return async (options) => {
      // Once it is on its own, all it can get is the report it asked for.
      if (this.ledger || !this.#closed) this.#closed = this.scope.close({ ...options, from: this })
      return this.#closed
    }
  }

  // ── closing ──

  override sooner(): void {
    if (!this.#shieldTimer || !this.ledger?.closing) return
    const { reason } = this.ledger.closing
    this.#shieldTimer.clear()
    const left = this.#shield - (this.ledger.clock.now() - this.ledger.closing.askedAt)
    this.#shieldTimer = this.ledger.closing.afterShield(left, this.name, () => this.#stop(reason))
  }

  hold(share: number): number {
    return Math.min(this.ledger?.settings.taskCap ?? 0, share)
  }

  /** It asks to close `closing`, the scope that owns it or one above: nobody there shall wait for it. */
  exemptFrom(closing: Ledger): void {
    for (let ledger = this.ledger; ledger; ledger = ledger.parent) {
      if (ledger !== closing) continue
      this.#exempt = true
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
    this.#late = ledger.lateSink(this)
    this.#outcome = this.#exempt ? 'closer' : 'abandoned'
    this.#ending = withoutStack(
      () => new ScopeClosedError(ledger.name, `wait for task '${this.name}'`, closing.reason),
    )
    this.#record(ledger, this.#outcome)
  }

  #stop(reason: CancelledError): void {
    if (this.#token.cancelled) return
    this.#shieldTimer?.clear()
    this.#shieldTimer = undefined
    const ledger = this.ledger
    this.#cancelledAt = ledger?.clock.now()
    this.#token.cancelWith(reason, (error) => ledger?.problem(`cancel listener of '${this.name}'`, error))
  }

  #threw(error: unknown): void {
    const { reason } = this.#token
    this.#end(reason && isAnswerTo(reason, error) ? 'cancelled' : 'failed', error)
  }

  #end(outcome: 'ended' | 'cancelled' | 'failed', ending: unknown): void {
    this.#shieldTimer?.clear()
    this.#shieldTimer = undefined
    const ledger = this.leave()
    if (!ledger) {
      const late = this.#late
      this.#late = undefined
      late?.(outcome === 'ended' ? { outcome, value: ending } : { outcome, error: ending })
      return
    }
    this.#outcome = outcome
    this.#ending = ending
    // A failure that nobody asked for would be lost: while the scope lives, that is a problem (SC1).
    if (outcome === 'failed' && !this.#result && !ledger.closing)
      ledger.problem(`task '${this.name}'`, ending)
    this.#record(ledger, outcome)
  }

  #record(ledger: Ledger, outcome: TaskOutcome): void {
    if (this.kind === 'task') ledger.totals[outcome]++
    ledger.closing?.recordTask(this, outcome, this.#shield > 0 ? this.#cancelledAt : undefined, this.#ending)
    ledger.ended(this, outcome)
    this.#result?.settle()
  }

  #settle(resolve: (value: T) => void, reject: (error: unknown) => void): void {
    if (this.#outcome === 'ended') resolve(this.#ending as T)
    else reject(this.#ending)
  }

  #books(what: string): Ledger {
    if (!this.ledger) throw new ScopeClosedError(undefined, what, this.#token.reason)
    return this.ledger
  }
}
