import type { Timer } from './clock.ts'
import { Deadline } from './deadline.ts'
import { Background } from './deferred.ts'
import { CancelledError, withoutStack } from './errors.ts'
import type { Ledger } from './ledger.ts'
import { limits } from './limits.ts'
import type { Owned } from './owned.ts'
import type { Ask, ScopeReport, StepOutcome, TaskOutcome } from './report.ts'
import { ReportBook } from './report-book.ts'
import type { Task } from './task.ts'

/**
 * How a scope ends. One of these exists for each scope from the first ask on.
 *
 *   tell    state, admission, intent ┐ synchronous, over the whole tree, before anything is waited for (SC3)
 *   cancel  every unshielded task    ┘
 *     │
 *   run     phase 1 ──hold──▶ phase 2 ──hold──▶ …   the members of a phase in parallel (SC11)
 *     │       └─ tasks that outlast their hold go on, and are awaited ─┐
 *     ▼                                                               ▼
 *   all ended ───────────────────────────────▶ report        budget spent: force (SC12)
 *
 *   ├──────────────────── budget ────────────────────┼─ reserve ─┤ deadline
 */
export class Closing {
  readonly askedAt: number
  /** The reason in words, and the one error that everything is cancelled with. */
  readonly why: string
  readonly reason: CancelledError
  readonly deadline: Deadline
  readonly report: Promise<ScopeReport>
  readonly background = new Background()
  readonly #ledger: Ledger
  readonly #by: string | undefined
  readonly #date: number
  readonly #ownTime: number
  readonly #aborted: boolean
  readonly #alsoAsked: Ask[] = []
  #asksOmitted = 0
  readonly #book: ReportBook
  #resolve!: (report: ScopeReport) => void
  #stage: 'telling' | 'told' | 'running' | 'ending' | 'over' = 'telling'
  #ranAt: number | undefined
  #budgetEnd = 0
  #budgetTimer: Timer | undefined
  #phase = 0
  /** Members of the current phase that the next one waits for. */
  #holding = 0
  #holdTimers: Timer[] = []
  #beginning = false

  private constructor(ledger: Ledger, ask: CloseAsk, reason: CancelledError) {
    const { clock, closeTimeout } = ledger.settings
    this.#ledger = ledger
    this.askedAt = clock.now()
    this.#date = clock.date()
    this.why = ask.reason
    this.#by = ask.by
    this.reason = reason
    // A child that is told by its parent has the parent's deadline until its phase comes, and then its own time (SC4).
    const outer = ledger.parent?.closing?.deadline.at
    this.#ownTime = ask.closeTimeout ?? closeTimeout
    const { parent } = ledger
    this.#aborted = ask.aborted ?? (parent?.closing ? parent.closing.#aborted : false)
    this.deadline = new Deadline(clock, outer ?? this.askedAt + this.#ownTime)
    this.#setBudget()
    this.#book = new ReportBook(ledger, this.askedAt)
    this.report = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** Shuts the scope's admission: from here on it is closing. */
  static begin(ledger: Ledger, ask: CloseAsk, reason?: CancelledError): Closing {
    ledger.closing = new Closing(
      ledger,
      ask,
      reason ?? withoutStack(() => new CancelledError(`scope '${ledger.name}' closed: ${ask.reason}`)),
    )
    ledger.problems.askedAt = ledger.closing.askedAt
    if (ledger.tree.watched > 0)
      ledger.announce({ type: 'closing', id: ledger.id, kind: 'scope', name: ledger.name })
    return ledger.closing
  }

  /** When the phases began to run: for a child, when its parent's phase came. Now, if they have not. */
  get ranAt(): number {
    return this.#ranAt ?? this.#ledger.clock.now()
  }

  /** When everything that is left will be forced. */
  get budgetEnd(): number {
    return this.#budgetEnd
  }

  get over(): boolean {
    return this.#stage === 'over'
  }

  // ── the synchronous part ──

  tell(): void {
    this.#ledger.onClosing?.(this.reason)
    for (const member of this.#ledger.all()) member.tell(this.reason)
  }

  cancel(): void {
    if (this.#stage !== 'telling') return
    for (const member of this.#ledger.all()) member.cancel(this.reason)
    if (this.#stage === 'telling') this.#stage = 'told'
  }

  /** Somebody asks again: it is noted, and may bring the deadline nearer (SC4). */
  askAgain(ask: CloseAsk): void {
    if (this.over) return
    const at = this.#ledger.clock.now()
    const by = ask.by === undefined ? {} : { by: ask.by }
    if (this.#alsoAsked.length >= limits.asks) this.#asksOmitted++
    else this.#alsoAsked.push({ reason: ask.reason, ...by, at: at - this.askedAt })
    if (ask.closeTimeout !== undefined) this.shorten(at + ask.closeTimeout)
  }

  shorten(at: number): void {
    if (this.over || !this.deadline.shorten(at)) return
    this.#setBudget()
    for (const member of this.#ledger.all()) member.sooner()
    if (this.#budgetTimer) {
      this.#budgetTimer.clear()
      this.#budgetTimer = undefined
      this.#armBudget()
    }
  }

  /** Calls back when a shield is used up: early enough for the task to unwind before the budget ends (SC13). */
  afterShield(shield: number, name: string, callback: () => void): Timer {
    const { clock } = this.#ledger
    const grace = this.deadline.at - this.#budgetEnd
    const longest = Math.max(0, this.#budgetEnd - grace - clock.now())
    return clock.after(Math.max(0, Math.min(shield, longest)), `shield of '${name}'`, callback)
  }

  // ── the phases ──

  run(): void {
    if (this.#stage !== 'told') return
    this.#stage = 'running'
    this.#ranAt = this.#ledger.clock.now()
    this.shorten(this.#ranAt + this.#ownTime)
    this.#advance()
  }

  /** Begins phases until one has to be waited for. */
  #advance(): void {
    while (this.#phase < this.#ledger.settings.phases.length) {
      this.#beginPhase(this.#phase++)
      if (this.#stage !== 'running') return
      if (this.#holding > 0) return this.#armBudget()
    }
    if (this.#ledger.size === 0) this.#finish()
    else this.#armBudget()
  }

  #beginPhase(phase: number): void {
    const members = this.#ledger.inPhase(phase)
    if (members.length === 0) return
    // Each phase that has members gets an equal part of what is left, so none can eat the time of a later one (SC12).
    const share = this.#budgetLeft() / this.#ledger.occupiedFrom(phase)
    this.#beginning = true
    this.#holding = members.length
    for (const member of members) member.holds = true
    for (const member of members) member.begin()
    this.#beginning = false
    if (this.#stage !== 'running') return
    this.#armHolds(members, share)
  }

  /** One timer for all members with the same cap. */
  #armHolds(members: readonly Owned[], share: number): void {
    const groups = new Map<number, Owned[]>()
    for (const member of members) {
      if (!member.holds) continue
      const ms = member.hold(share)
      const group = groups.get(ms)
      if (group) group.push(member)
      else groups.set(ms, [member])
    }
    for (const [ms, group] of groups) {
      this.#holdTimers.push(
        this.#ledger.clock.after(ms, `hold in '${this.#ledger.name}'`, () => this.#holdOver(group)),
      )
    }
  }

  #holdOver(group: readonly Owned[]): void {
    for (const member of group) {
      if (!member.holds) continue
      member.holdOver()
      this.#release(member)
    }
  }

  /** A member has ended, or is not waited for any more. */
  memberEnded(member: Owned): void {
    this.#release(member)
    if (this.#stage !== 'running' || this.#beginning || this.#holding > 0) return
    if (this.#ledger.size === 0) this.#advance()
  }

  #release(member: Owned): void {
    if (!member.holds) return
    member.holds = false
    if (--this.#holding > 0 || this.#beginning) return
    for (const timer of this.#holdTimers) timer.clear()
    this.#holdTimers = []
    if (this.#stage === 'running') this.#advance()
  }

  // ── the end ──

  /** Ends everything now, whatever state it is in. Synchronous; after it the report is there. */
  force(): void {
    if (this.#stage !== 'ending' && this.#stage !== 'over') this.#finish()
  }

  #finish(): void {
    // After a healthy close only tasks that asked for it themselves are left; after a forced one, all that hangs.
    this.#stage = 'ending'
    for (const member of this.#ledger.all()) member.force()
    this.#budgetTimer?.clear()
    for (const timer of this.#holdTimers) timer.clear()
    this.#stage = 'over'
    const report = this.#book.write({
      reason: this.why,
      by: this.#by,
      date: this.#date,
      deadline: this.deadline.at,
      aborted: this.#aborted,
      alsoAsked: this.#alsoAsked,
      asksOmitted: this.#asksOmitted,
    })
    this.#resolve(report)
    this.#ledger.over(report)
  }

  #setBudget(): void {
    const now = this.#ledger.clock.now()
    const span = Math.max(0, this.deadline.at - now)
    const own = this.deadline.at - Math.min(this.#ledger.settings.reserve, span / 10)
    // A parent forces its children when its own budget ends: what a child plans must fit into that.
    const outer = this.#ledger.parent?.closing?.budgetEnd
    this.#budgetEnd = outer === undefined ? own : Math.min(own, outer)
  }

  #budgetLeft(): number {
    return Math.max(0, this.#budgetEnd - this.#ledger.clock.now())
  }

  #armBudget(): void {
    const { clock, name } = this.#ledger
    this.#budgetTimer ??= clock.after(this.#budgetLeft(), `budget of '${name}'`, () => this.force())
  }

  // ── what the members report ──

  recordTask(
    task: Task<unknown>,
    outcome: TaskOutcome,
    cancelledAt: number | undefined,
    error: unknown,
  ): void {
    this.#book.task(task, outcome, cancelledAt, error)
  }

  recordStep(
    member: Owned & { readonly kind: 'resource' | 'deferred' },
    outcome: StepOutcome,
    beganAt: number | undefined,
    forced: boolean,
    error?: unknown,
  ): void {
    this.#book.step(member, outcome, beganAt, forced, error)
  }

  recordChild(member: Owned, beganAt: number, report: ScopeReport): void {
    this.#book.child(member, beganAt, report)
  }
}

/** Why, who, and within how many milliseconds. */
export interface CloseAsk {
  readonly reason: string
  readonly by?: string | undefined
  readonly closeTimeout?: number | undefined
  /** Whether the ask is an `abort()`. */
  readonly aborted?: boolean
}
