import type { Closing } from './closing.ts'
import type { Clock } from './clock.ts'
import { describeError } from './describe-error.ts'
import { LimitError, ScopeClosedError, type CancelledError } from './errors.ts'
import type { Change, Watchers } from './inspect.ts'
import { limits } from './limits.ts'
import type { Owned } from './owned.ts'
import type { ErrorReport, Late, ScopeReport, TaskOutcome } from './report.ts'
import type { Scope } from './scope.ts'
import type { Intercepted, Settings } from './settings.ts'
import type { TaskContext } from './task.ts'

/** Takes an outcome that came after the books were closed. */
export type LateSink = (late: Pick<Late, 'outcome' | 'value' | 'error'>) => void

/** The books of one scope: what it owns, phase by phase, and what went wrong while nobody was looking. */
export class Ledger {
  readonly id: number
  readonly name: string
  /** Whose books these are. */
  readonly scope: Scope<string>
  readonly since: number
  readonly settings: Settings
  readonly parent: Ledger | undefined
  readonly depth: number
  /** Shared by the whole tree. */
  readonly tree: { lastId: number; watched: number }
  watchers: Watchers | undefined
  /** Set from the moment closing begins: that is what shuts admission. */
  closing: Closing | undefined
  /** Cancels the scope's own token, as soon as closing has begun. */
  onClosing: ((reason: CancelledError, onError: (error: unknown) => void) => void) | undefined
  /** Tells whoever owns the scope that it has closed. */
  onOver: ((report: ScopeReport) => void) | undefined
  /** Tasks that asked for this close themselves (SC16). Nobody waits for them. */
  readonly closers = new Set<Owned>()
  readonly totals: Record<TaskOutcome, number> = {
    ended: 0,
    cancelled: 0,
    failed: 0,
    abandoned: 0,
    closer: 0,
  }
  /** Problems that found no room in the list. */
  problemsOmitted = 0
  readonly problems: { readonly where: string; readonly time: number; readonly error: ErrorReport }[] = []
  /** Resources by the object they were registered with, for `end` and `forget`. */
  handles: Map<object, Owned> | undefined
  readonly #members: Set<Owned>[]
  #size = 0

  constructor(scope: Scope<string>, name: string, settings: Settings, parent?: Ledger) {
    this.scope = scope
    this.name = name
    this.settings = settings
    this.parent = parent
    this.depth = parent ? parent.depth + 1 : 0
    if (this.depth > limits.depth) {
      throw new LimitError('depth', limits.depth, `scope '${name}' would be nested too deeply`)
    }
    this.tree = parent ? parent.tree : { lastId: 0, watched: 0 }
    this.id = ++this.tree.lastId
    this.since = settings.clock.now()
    this.#members = settings.phases.map(() => new Set())
  }

  get clock(): Clock {
    return this.settings.clock
  }

  get state(): 'live' | 'closing' | 'closed' {
    if (!this.closing) return 'live'
    return this.closing.over ? 'closed' : 'closing'
  }

  /** The names from the root down to here. */
  get path(): string {
    return this.parent ? `${this.parent.path}/${this.name}` : this.name
  }

  /** How many things are owned and not given up. */
  get size(): number {
    return this.#size
  }

  /** The members of one phase, as they are now: they may leave while the caller goes through them. */
  inPhase(phase: number): Owned[] {
    return [...(this.#members[phase] ?? [])]
  }

  /** Everything that is owned, as it is now, those that nobody waits for included. */
  all(): Owned[] {
    const all: Owned[] = []
    for (const members of [...this.#members, this.closers]) for (const member of members) all.push(member)
    return all
  }

  /** How many phases from `phase` on have members. */
  occupiedFrom(phase: number): number {
    let count = 0
    for (let index = phase; index < this.#members.length; index++) {
      if (this.#members[index]!.size > 0) count++
    }
    return count
  }

  /** Throws unless something may be added now (SC7). */
  admit(what: string): void {
    if (this.closing) throw new ScopeClosedError(this.name, what, this.closing.reason)
    if (this.#size >= limits.owned) {
      throw new LimitError('owned', limits.owned, `scope '${this.name}' owns too much: cannot ${what}`)
    }
  }

  add(member: Owned): void {
    this.#members[member.phase]!.add(member)
    this.#size++
    if (this.tree.watched > 0) this.announce({ type: 'added', ...about(member) })
  }

  /** A member has ended. It calls this once, by itself. */
  ended(member: Owned, outcome: string): void {
    if (this.#members[member.phase]!.delete(member)) this.#size--
    else this.closers.delete(member)
    if (this.tree.watched > 0) this.announce({ type: 'ended', outcome, ...about(member) })
    this.closing?.memberEnded(member)
  }

  /** A task asked for the close itself: it stays alive, but nobody waits for it any more. */
  exempt(member: Owned): void {
    if (!this.#members[member.phase]!.delete(member)) return
    this.#size--
    this.closers.add(member)
    this.closing?.memberEnded(member)
  }

  /** The report of the close, if `member` asked for it. */
  askedBy(member: Owned): Promise<ScopeReport> | undefined {
    return this.closers.has(member) ? this.closing?.report : undefined
  }

  /** Something threw where nobody could catch it. It is kept for the report and told to `onProblem`. */
  problem(where: string, error: unknown): void {
    const time = this.clock.now()
    const told = describeError(error)
    if (this.problems.length < limits.reported) this.problems.push({ where, time, error: told })
    else this.problemsOmitted++
    try {
      this.settings.onProblem?.({ where, at: time - (this.closing?.askedAt ?? time), error: told }, error)
    } catch {
      // The listener for broken listeners is broken: there is nobody left to tell.
    }
  }

  /** The way to hand out a late outcome once the books are closed. It holds no reference to them (SC9). */
  lateSink(member: Owned): LateSink {
    const { name, kind } = member
    const { clock, onLate } = this.settings
    const scope = this.path
    const askedAt = this.closing!.askedAt
    return (late) => {
      try {
        onLate?.({ scope, name, kind: kind as Late['kind'], at: clock.now() - askedAt, ...late })
      } catch {
        // A broken listener must not turn a late outcome into an unhandled rejection.
      }
    }
  }

  /** The scope has closed. The books are put away; only the report is left. */
  over(report: ScopeReport): void {
    this.handles = undefined
    if (this.tree.watched > 0) this.announce({ type: 'closed', id: this.id, kind: 'scope', name: this.name })
    this.onOver?.(report)
  }

  /** The function to run instead of `run`, if somebody injects faults. */
  intercepted<Input extends TaskContext | AbortSignal, Output>(
    kind: Intercepted['kind'],
    name: string,
    run: (input: Input) => Output,
  ): (input: Input) => Output {
    const { intercept } = this.settings
    if (!intercept) return run
    return intercept({ kind, name, scope: this.path }, run) as (input: Input) => Output
  }

  announce(change: Omit<Change, 'at' | 'scope'>): void {
    this.#pass({ ...change, at: this.clock.now(), scope: this.id })
  }

  #pass(change: Change): void {
    this.watchers?.tell(change)
    if (this.parent) this.parent.#pass(change)
  }
}

function about(member: Owned): Pick<Change, 'id' | 'kind' | 'name'> {
  return { id: member.id, kind: member.kind, name: member.name }
}
