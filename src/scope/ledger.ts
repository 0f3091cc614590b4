import type { Clock } from './clock.ts'
import type { Closing, ClosingSubject } from './closing.ts'
import { callOut, observe } from './edge.ts'
import { LimitError, OptionError, ScopeClosedError, type CancelledError } from './errors.ts'
import { limits } from './limits.ts'
import { noop } from './noop.ts'
import type { LateSink, Owned, Owner } from './owned.ts'
import { Problems } from './problems.ts'
import type { Late, ScopeReport, TaskOutcome } from './report.ts'
import type { Intercepted, Settings } from './settings.ts'
import type { Closable, TaskContextOf } from './task-context.ts'
import type { Announced, Change, EndOutcome, Watchers } from './watchers.ts'

/** Work that its scope gave up on. The work's late sink holds it, so it must not refer to any scope (SC9). */
interface Abandoned {
  readonly scope: string
  readonly kind: string
  readonly name: string
  ended: boolean
}

/** What one scope owns, phase by phase, and what has to be in its report. */
export class Ledger implements Owner, ClosingSubject {
  readonly kind = 'scope'
  readonly id: number
  readonly name: string
  /** The scope that this ledger belongs to. */
  readonly scope: Closable
  readonly since: number
  readonly settings: Settings
  readonly parent: Ledger | undefined
  readonly depth: number
  /** Shared by the whole tree. */
  readonly tree: { lastId: number; watched: number }
  watchers: Watchers | undefined
  /** Set once closing has begun, which shuts admission. */
  closing: Closing | undefined
  /** Cancels the scope's own token, as soon as closing has begun. */
  onClosing: ((reason: CancelledError) => void) | undefined
  /** Notifies the owner of the scope that it has closed. */
  onClosed: ((report: ScopeReport) => void) | undefined
  readonly totals: Record<TaskOutcome, number> = {
    ended: 0,
    cancelled: 0,
    failed: 0,
    abandoned: 0,
    closer: 0,
  }
  readonly problems: Problems
  /** Resources by the object they were registered with, for `end` and `forget`. */
  handles: Map<object, Owned> | undefined
  readonly #members: Set<Owned>[]
  /** Tasks that requested this close themselves: the close does not wait for them (SC16). */
  readonly #closers = new Set<Owned>()
  #size = 0
  /** Work that goes on although it was cancelled: abandoned by scopes below that closed before this one, or left (`leave`). */
  #left: Abandoned[] = []
  /** Work that was abandoned in this scope's own close. Its report, or the report of a child, names it. */
  readonly #abandoned: Abandoned[] = []

  constructor(scope: Closable, name: string, settings: Settings, parent?: Ledger) {
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
    return this.closing.isClosed ? 'closed' : 'closing'
  }

  /** The names from the root down to this scope. */
  get path(): string {
    return this.parent ? `${this.parent.path}/${this.name}` : this.name
  }

  // ── members ──

  get size(): number {
    return this.#size
  }

  /** A copy, because members may leave while the caller iterates. */
  inPhase(phase: number): Owned[] {
    return [...(this.#members[phase] ?? [])]
  }

  /** A copy, because members may leave while the caller iterates. */
  all(): Owned[] {
    const all: Owned[] = []
    for (const members of [...this.#members, this.#closers]) for (const member of members) all.push(member)
    return all
  }

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
    if (this.tree.watched > 0) this.announce('added', member)
  }

  ended(member: Owned, outcome: EndOutcome): void {
    if (this.#members[member.phase]!.delete(member)) this.#size--
    else this.#closers.delete(member)
    if (this.tree.watched > 0) this.announce('ended', member, outcome)
    this.closing?.memberEnded(member)
  }

  exempt(member: Owned): void {
    if (!this.#members[member.phase]!.delete(member)) return
    this.#size--
    this.#closers.add(member)
    this.closing?.memberEnded(member)
  }

  reportFor(member: Owned): Promise<ScopeReport> | undefined {
    return this.#closers.has(member) ? this.closing?.report : undefined
  }

  forget(thing: object): void {
    this.handles?.delete(thing)
  }

  intercepted<Input extends TaskContextOf<unknown> | AbortSignal, Output>(
    kind: Intercepted['kind'],
    name: string,
    run: (input: Input) => Output,
  ): (input: Input) => Output {
    const { intercept } = this.settings
    if (!intercept) return run
    const at = { kind, name, scope: this.path }
    // Called together with `run`, so that an error of `intercept` counts as an error of `run`.
    return (input) => {
      const replacement: unknown = intercept(at, run as (input: never) => unknown)
      if (typeof replacement === 'function') return (replacement as typeof run)(input)
      observe(replacement, noop, noop)
      throw new OptionError(`intercept must return a function to run instead of ${kind} '${name}'`)
    }
  }

  // ── outcomes after the report ──

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

  /** Records work that goes on although it was cancelled. Returns a function to call when it has ended. */
  leave(name: string): () => void {
    const work: Abandoned = { scope: this.path, kind: 'task', name, ended: false }
    this.#left.push(work)
    this.#trim()
    return () => {
      work.ended = true
    }
  }

  get stillRunning(): readonly Abandoned[] {
    return this.#left.filter(({ ended }) => !ended)
  }

  /** Takes over what a child that has just closed left running. */
  #adopt(abandoned: readonly Abandoned[]): void {
    // If this scope is closing, too, the child's report is in its own report and names the work.
    const list = this.closing ? this.#abandoned : this.#left
    for (const work of abandoned) if (!work.ended) list.push(work)
    this.#trim()
  }

  #trim(): void {
    if (this.#left.length <= limits.reported) return
    this.#left = [...this.stillRunning]
    this.problems.omitted += this.#left.splice(limits.reported).length
  }

  /** The scope has closed, and only the report is left. */
  closed(report: ScopeReport): void {
    this.handles = undefined
    const late = this.#lateSink('problem')
    this.problems.close((where, error) => late(where, { outcome: 'failed', error }))
    if (this.parent) this.parent.#adopt([...this.#left, ...this.#abandoned])
    this.#abandoned.length = 0
    if (this.tree.watched > 0) this.announce('closed', this)
    this.onClosed?.(report)
  }

  // ── watchers ──

  announce(type: Change['type'], { id, kind, name }: Announced, outcome?: EndOutcome): void {
    const at = this.clock.now()
    const change: Change = { type, at, scope: this.id, id, kind, name }
    this.#notify(outcome === undefined ? change : { type, at, scope: this.id, id, kind, name, outcome })
  }

  #notify(change: Change): void {
    this.watchers?.notify(change)
    if (this.parent) this.parent.#notify(change)
  }
}
