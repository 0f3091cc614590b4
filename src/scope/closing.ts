import { Background } from './background.ts'
import type { Clock, Timer } from './clock.ts'
import { Deadline } from './deadline.ts'
import { CancelledError, withoutStack } from './errors.ts'
import { limits } from './limits.ts'
import type { Owned, OwnerClosing } from './owned.ts'
import type { Ask, ScopeReport } from './report.ts'
import { ReportBuilder, type ReportSubject } from './report-builder.ts'
import type { Announced, Change } from './watchers.ts'

/** A request to close: why, by whom, and within how many milliseconds. */
export interface CloseRequest {
  readonly reason: string
  readonly by?: string | undefined
  readonly closeTimeout?: number | undefined
  /** Whether the request is an `abort()`. */
  readonly aborted?: boolean
}

/** Members of a phase that the next phase waits for, at most until then. */
interface Hold {
  readonly group: readonly Owned[]
  readonly until: number
  readonly timer: Timer
}

/** The scope that is closed, as `Closing` sees it. `Ledger` implements it. */
export interface ClosingSubject extends ReportSubject, Announced {
  readonly clock: Clock
  readonly parent: { readonly closing: Closing | undefined } | undefined
  readonly tree: { readonly watched: number }
  /** How many things are owned, not counting tasks that requested the close. */
  readonly size: number
  /** Setting this shuts admission. */
  closing: Closing | undefined
  readonly onClosing: ((reason: CancelledError) => void) | undefined
  /** Everything that is owned, including tasks that requested the close. */
  all(): Owned[]
  inPhase(phase: number): Owned[]
  /** How many phases from `phase` on have members. */
  occupiedFrom(phase: number): number
  announce(type: Change['type'], subject: Announced): void
  closed(report: ScopeReport): void
}

/**
 * How a scope ends. Each scope has one of these from the first close request on.
 *
 *   notify  state, admission, intent ┐ synchronous, over the whole tree, before anything is awaited (SC3)
 *   cancel  every unshielded task    ┘
 *     │
 *   run     phase 1 ──hold──▶ phase 2 ──hold──▶ …   the members of a phase in parallel (SC11)
 *     │       └─ tasks that outlast their hold continue, and are awaited ─┐
 *     ▼                                                                  ▼
 *   all ended ───────────────────────────────▶ report        budget used: force (SC12)
 *
 *   ├──────────────────── budget ────────────────────┼─ reserve ─┤ deadline
 */
export class Closing implements OwnerClosing {
  readonly askedAt: number
  readonly why: string
  readonly reason: CancelledError
  readonly deadline: Deadline
  readonly report: Promise<ScopeReport>
  readonly builder: ReportBuilder
  readonly background = new Background()
  readonly #ledger: ClosingSubject
  readonly #by: string | undefined
  readonly #date: number
  readonly #ownTime: number
  readonly #aborted: boolean
  readonly #alsoAsked: Ask[] = []
  #asksOmitted = 0
  #resolve!: (report: ScopeReport) => void
  #stage: 'notifying' | 'cancelled' | 'running' | 'finishing' | 'closed' = 'notifying'
  #ranAt: number | undefined
  #budgetEnd = 0
  #budgetTimer: Timer | undefined
  #phase = 0
  /** Members of the current phase that the next phase waits for. */
  #holding = 0
  #holds: Hold[] = []
  #beginning = false

  private constructor(ledger: ClosingSubject, request: CloseRequest, reason: CancelledError) {
    const { clock, closeTimeout } = ledger.settings
    const outer = ledger.parent?.closing
    this.#ledger = ledger
    this.askedAt = clock.now()
    this.#date = clock.date()
    this.why = request.reason
    this.#by = request.by
    this.reason = reason
    this.#ownTime = request.closeTimeout ?? closeTimeout
    this.#aborted = request.aborted ?? (outer ? outer.#aborted : false)
    // A child that its parent closes has the parent's deadline until its phase comes, and then its own time (SC4).
    this.deadline = new Deadline(clock, outer?.deadline.at ?? this.askedAt + this.#ownTime)
    this.#setBudget()
    this.builder = new ReportBuilder(ledger, this.askedAt)
    this.report = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** Puts a scope into the closing state, which shuts admission. */
  static begin(ledger: ClosingSubject, request: CloseRequest, reason?: CancelledError): Closing {
    const closing = new Closing(
      ledger,
      request,
      reason ?? withoutStack(() => new CancelledError(`scope '${ledger.name}' closed: ${request.reason}`)),
    )
    ledger.closing = closing
    ledger.problems.askedAt = closing.askedAt
    if (ledger.tree.watched > 0) ledger.announce('closing', ledger)
    return closing
  }

  /** When the phases began to run; now, if they have not. A child's phases run when its parent's phase comes. */
  get ranAt(): number {
    return this.#ranAt ?? this.#ledger.clock.now()
  }

  /** When everything that is left will be forced. */
  get budgetEnd(): number {
    return this.#budgetEnd
  }

  get isClosed(): boolean {
    return this.#stage === 'closed'
  }

  // ── the synchronous part ──

  notify(): void {
    this.#ledger.onClosing?.(this.reason)
    for (const member of this.#ledger.all()) member.notifyClosing(this.reason)
  }

  cancel(): void {
    if (this.#stage !== 'notifying') return
    for (const member of this.#ledger.all()) member.cancel(this.reason)
    if (this.#stage === 'notifying') this.#stage = 'cancelled'
  }

  /** Notes a later request, which may shorten the deadline (SC4). */
  requestAgain(request: CloseRequest): void {
    if (this.isClosed) return
    const { reason, by, closeTimeout } = request
    const now = this.#ledger.clock.now()
    const at = now - this.askedAt
    if (this.#alsoAsked.length >= limits.asks) this.#asksOmitted++
    else this.#alsoAsked.push(by === undefined ? { reason, at } : { reason, by, at })
    if (closeTimeout !== undefined) this.shorten(now + closeTimeout)
  }

  shorten(at: number): void {
    if (this.isClosed || !this.deadline.shorten(at)) return
    this.#setBudget()
    for (const member of this.#ledger.all()) member.deadlineMoved()
    this.#shortenHolds()
    if (this.#budgetTimer) {
      this.#budgetTimer.clear()
      this.#budgetTimer = undefined
      this.#armBudget()
    }
  }

  afterShield(shield: number, name: string, callback: () => void): Timer {
    const { clock } = this.#ledger
    const grace = this.deadline.at - this.#budgetEnd
    const longest = Math.max(0, this.#budgetEnd - grace - clock.now())
    return clock.after(Math.max(0, Math.min(shield, longest)), `shield of '${name}'`, callback)
  }

  // ── the phases ──

  run(): void {
    if (this.#stage !== 'cancelled') return
    this.#stage = 'running'
    this.#ranAt = this.#ledger.clock.now()
    this.shorten(this.#ranAt + this.#ownTime)
    this.#advance()
  }

  /** Begins phases until one of them has to be awaited. */
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
    // Every phase with members gets an equal share of the time left, so none can use up the time of a later one (SC12).
    const share = this.#budgetLeft() / this.#ledger.occupiedFrom(phase)
    this.#beginning = true
    this.#holding = members.length
    for (const member of members) member.holds = true
    for (const member of members) {
      // Tasks and child scopes were cancelled and notified when the close was requested; the rest ends from now on.
      if (this.#ledger.tree.watched > 0 && (member.kind === 'resource' || member.kind === 'deferred'))
        this.#ledger.announce('closing', member)
      member.begin()
    }
    this.#beginning = false
    if (this.#stage !== 'running') return
    this.#armHolds(members, share)
  }

  /** Sets one timer for all members with the same cap. */
  #armHolds(members: readonly Owned[], share: number): void {
    const groups = new Map<number, Owned[]>()
    for (const member of members) {
      if (!member.holds) continue
      const ms = member.hold(share)
      const group = groups.get(ms)
      if (group) group.push(member)
      else groups.set(ms, [member])
    }
    for (const [ms, group] of groups) this.#hold(group, ms)
  }

  #hold(group: readonly Owned[], ms: number): void {
    const { clock, name } = this.#ledger
    const timer = clock.after(ms, `hold in '${name}'`, () => this.#holdExpired(group))
    this.#holds.push({ group, until: clock.now() + ms, timer })
  }

  /** After the deadline has moved, the current phase has a share of the time that is left now, like those after it. */
  #shortenHolds(): void {
    const holds = this.#holds
    if (holds.length === 0) return
    const share = this.#budgetLeft() / this.#ledger.occupiedFrom(this.#phase - 1)
    const until = this.#ledger.clock.now() + share
    this.#holds = holds.filter((hold) => hold.until <= until)
    for (const hold of holds) {
      if (hold.until <= until) continue
      hold.timer.clear()
      this.#hold(hold.group, share)
    }
  }

  #holdExpired(group: readonly Owned[]): void {
    for (const member of group) {
      if (!member.holds) continue
      member.holdExpired()
      this.#release(member)
    }
  }

  /** A member has ended, or is no longer awaited. */
  memberEnded(member: Owned): void {
    this.#release(member)
    if (this.#stage !== 'running' || this.#beginning || this.#holding > 0) return
    if (this.#ledger.size === 0) this.#advance()
  }

  #release(member: Owned): void {
    if (!member.holds) return
    member.holds = false
    if (--this.#holding > 0 || this.#beginning) return
    this.#clearHolds()
    if (this.#stage === 'running') this.#advance()
  }

  // ── the end ──

  /** Ends everything now, whatever state it is in. Synchronous: the report exists when it returns. */
  force(): void {
    if (this.#stage !== 'finishing' && this.#stage !== 'closed') this.#finish()
  }

  #finish(): void {
    // After a healthy close, only tasks that requested it themselves are left; after a forced one, whatever hangs.
    this.#stage = 'finishing'
    for (const member of this.#ledger.all()) member.force()
    this.#budgetTimer?.clear()
    this.#clearHolds()
    this.#stage = 'closed'
    const report = this.builder.build({
      reason: this.why,
      by: this.#by,
      date: this.#date,
      deadline: this.deadline.at,
      aborted: this.#aborted,
      alsoAsked: this.#alsoAsked,
      asksOmitted: this.#asksOmitted,
    })
    this.#resolve(report)
    this.#ledger.closed(report)
  }

  #clearHolds(): void {
    for (const { timer } of this.#holds) timer.clear()
    this.#holds = []
  }

  #setBudget(): void {
    const now = this.#ledger.clock.now()
    const span = Math.max(0, this.deadline.at - now)
    const own = this.deadline.at - Math.min(this.#ledger.settings.reserve, span / 10)
    // A parent forces its children when its own budget ends, so the budget of a child must fit into it.
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
}
