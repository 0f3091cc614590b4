import type { Background } from './background.ts'
import { CancelToken } from './cancel.ts'
import type { Clock, Timer } from './clock.ts'
import type { Deadline } from './deadline.ts'
import type { CancelledError } from './errors.ts'
import type { Problems } from './problems.ts'
import type { Late, ScopeReport, TaskOutcome } from './report.ts'
import type { ReportBuilder } from './report-builder.ts'
import type { Intercepted, Settings } from './settings.ts'
import type { Closable, TaskContextOf } from './task-context.ts'
import type { EndOutcome, Kind } from './watchers.ts'

/** Receives an outcome that came after the report. */
export type LateSink = (late: Pick<Late, 'outcome' | 'value' | 'error'>) => void

/** The owner of a thing, as the thing sees it. `Ledger` implements it. */
export interface Owner {
  readonly name: string
  /** The scope itself. Its class is defined above this file. */
  readonly scope: Closable
  readonly parent: Owner | undefined
  readonly clock: Clock
  readonly settings: Settings
  readonly problems: Problems
  readonly tree: { lastId: number }
  readonly totals: Record<TaskOutcome, number>
  /** Set once closing has begun. */
  readonly closing: OwnerClosing | undefined
  /** A member calls this once, when it has ended. */
  ended(member: Owned, outcome: EndOutcome): void
  /** Stops waiting for a task that requested the close itself (SC16). */
  exempt(member: Owned): void
  /** The report of the close, if `member` requested it. */
  reportFor(member: Owned): Promise<ScopeReport> | undefined
  /** Returns a function that passes a late outcome to `onLate`. It holds no reference to the owner (SC9). */
  lateSink(member: Owned): LateSink
  /** Like `lateSink`, for work that continues: scopes above count it as running until its outcome comes. */
  abandon(member: Owned): LateSink
  /** Forgets the object that a resource was registered with. */
  forget(thing: object): void
  /** Returns a function that runs `run`, or what `intercept` replaces it with. */
  intercepted<Input extends TaskContextOf<unknown> | AbortSignal, Output>(
    kind: Intercepted['kind'],
    name: string,
    run: (input: Input) => Output,
  ): (input: Input) => Output
}

/** The close of the owner, as owned things see it. `Closing` implements it. */
export interface OwnerClosing {
  readonly askedAt: number
  /** The reason in words, and the error that everything is cancelled with. */
  readonly why: string
  readonly reason: CancelledError
  readonly deadline: Deadline
  readonly background: Background
  readonly report: Promise<ScopeReport>
  readonly builder: ReportBuilder
  /** Calls back when a shield ends: early enough for the task to unwind within the budget (SC13). */
  afterShield(shield: number, name: string, callback: () => void): Timer
}

/**
 * Anything a scope owns. Closing calls these methods on every member, in this order:
 *
 *             notifyClosing   cancel      begin           holdExpired   force
 *             (intent)        (stop)      (its phase)     (cap used)    (budget used)
 * task        –               cancelled   –               continues     abandoned
 * opening     –               cancelled   –               continues     abandoned; aborted when ready
 * resource    closing()       –           close(signal)   abort()       abort()
 * deferred    –               –           run(signal)     continues     continues in the background
 * child       notified        cancelled   its phases      continues     forced
 * timer       cleared         –           –               –             –
 *
 * A member is its own cancel token, because a separate object would add a tenth to the size of a task. `notifyClosing`,
 * `cancel` and `force` are synchronous and never throw. A member calls `ledger.ended(this)` once, when it has ended; after
 * `force()` it has ended.
 */
export abstract class Owned extends CancelToken {
  abstract readonly kind: Kind
  // Declared, and assigned by the constructor: V8 defines fields slowly in a class that has more than four subclasses.
  /** Unique in its tree of scopes. */
  declare readonly id: number
  declare readonly name: string
  /** Index into the scope's list of phases. */
  declare readonly phase: number
  /** In whole milliseconds, because a fractional number would be an object of its own. */
  declare readonly since: number
  /** True while closing waits for this member before it begins the next phase. */
  declare holds: boolean
  /** Undefined once the member has ended or was abandoned, so that it keeps nothing alive (SC9). */
  declare protected ledger: Owner | undefined

  constructor(ledger: Owner, name: string, phase: number, id: number = ++ledger.tree.lastId) {
    super()
    this.id = id
    this.name = name
    this.phase = phase
    this.since = Math.floor(ledger.clock.now())
    this.holds = false
    this.ledger = ledger
  }

  notifyClosing(_reason: CancelledError): void {}
  cancel(_reason: CancelledError): void {}
  begin(): void {}
  holdExpired(): void {}
  /** The deadline has moved earlier. */
  deadlineMoved(): void {}
  abstract force(): void

  /** How long this member may delay the next phase; `share` is its fair share of the time left. */
  abstract hold(share: number): number

  /** Receives the errors that no caller can catch. A getter, because a field would make every task larger. */
  protected get problems(): Problems | undefined {
    return this.ledger?.problems
  }

  protected override errorSink(): (error: unknown) => void {
    const { problems, name } = this
    return (error) => problems?.add(`cancel listener of '${name}'`, error)
  }

  /** Takes the member off the ledger. Returns the ledger the first time, and undefined after that. */
  protected leave(): Owner | undefined {
    const ledger = this.ledger
    this.ledger = undefined
    return ledger
  }
}
