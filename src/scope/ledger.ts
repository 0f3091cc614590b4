import type { Closing } from './closing.ts'
import type { Clock } from './clock.ts'
import { callOut, observe } from './edge.ts'
import { LimitError, OptionError, ScopeClosedError, type CancelledError } from './errors.ts'
import type { Change, Watchers } from './inspect.ts'
import { limits } from './limits.ts'
import { noop } from './noop.ts'
import type { Owned } from './owned.ts'
import { Problems } from './problems.ts'
import type { Late, ScopeReport, TaskOutcome } from './report.ts'
import type { Scope } from './scope.ts'
import type { Intercepted, Settings } from './settings.ts'
import type { TaskContext } from './task.ts'

/** Takes an outcome that came after the books were closed. */
export type LateSink = (late: Pick<Late, 'outcome' | 'value' | 'error'>) => void

/** Work that its scope gave up on. It is shared with the work's late sink, so it must not refer to any scope (SC9). */
interface Abandoned {
  readonly scope: string
  readonly kind: string
  readonly name: string
  ended: boolean
}

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
  onClosing: ((reason: CancelledError) => void) | undefined
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
  readonly problems: Problems
  /** Work that scopes below abandoned when they closed before this one. */
  #abandonedBelow: Abandoned[] = []
  /** The same, of this scope's own close: its report and its children's reports name it. */
  readonly #abandoned: Abandoned[] = []
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
    this.problems = new Problems(name, settings.clock, settings.onProblem)
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

  /** Returns a function that passes a late outcome to `onLate`. It holds no reference to the ledger (SC9). */
  lateSink({ name, kind }: Owned): LateSink {
    const late = this.#lateSink(kind as Late['kind'])
    return (outcome) => late(name, outcome)
  }

  #lateSink(kind: Late['kind']): (name: string, ...late: Parameters<LateSink>) => void {
    const { clock, onLate } = this.settings
    const scope = this.path
    const askedAt = this.closing!.askedAt
    return (name, late) => {
      if (!onLate) return
      const at = clock.now() - askedAt
      callOut(() => onLate({ scope, name, kind, at, ...late }), noop)
    }
  }

  /** Like `lateSink`, for work that runs on: scopes above count it as running until its outcome comes. */
  abandon(member: Owned): LateSink {
    const late = this.lateSink(member)
    const { kind, name } = member
    const work: Abandoned = { scope: this.path, kind, name, ended: false }
    this.#abandoned.push(work)
    return (outcome) => {
      // Deferred work that ran out of time has not ended.
      work.ended = outcome.outcome !== 'timed-out'
      late(outcome)
    }
  }

  /** Work below that was abandoned before this close began and is still running. */
  get stillRunning(): readonly Abandoned[] {
    return this.#abandonedBelow.filter(({ ended }) => !ended)
  }

  /** Takes over what a child that has just closed left running. */
  #adopt(abandoned: readonly Abandoned[]): void {
    // The report of a child that closes together with its parent is in the parent's report already.
    const list = this.closing ? this.#abandoned : this.#abandonedBelow
    for (const work of abandoned) if (!work.ended) list.push(work)
    if (this.#abandonedBelow.length <= limits.reported) return
    this.#abandonedBelow = [...this.stillRunning]
    this.problems.omitted += this.#abandonedBelow.splice(limits.reported).length
  }

  /** The scope has closed. The books are put away; only the report is left. */
  over(report: ScopeReport): void {
    this.handles = undefined
    const late = this.#lateSink('problem')
    this.problems.close((where, error) => late(where, { outcome: 'failed', error }))
    if (this.parent) this.parent.#adopt([...this.#abandonedBelow, ...this.#abandoned])
    this.#abandoned.length = 0
    if (this.tree.watched > 0) this.announce({ type: 'closed', id: this.id, kind: 'scope', name: this.name })
    this.onOver?.(report)
  }

  /** Runs `run`, or what `intercept` puts in its place. What `intercept` throws counts as thrown by `run`. */
  intercepted<Input extends TaskContext | AbortSignal, Output>(
    kind: Intercepted['kind'],
    name: string,
    run: (input: Input) => Output,
  ): (input: Input) => Output {
    const { intercept } = this.settings
    if (!intercept) return run
    const at = { kind, name, scope: this.path }
    return (input) => {
      const replacement: unknown = intercept(at, run)
      if (typeof replacement === 'function') return (replacement as typeof run)(input)
      observe(replacement, noop, noop)
      throw new OptionError(`intercept must return a function to run instead of ${kind} '${name}'`)
    }
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
