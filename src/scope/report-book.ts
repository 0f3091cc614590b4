import { describeError } from './describe-error.ts'
import { EndwellError, withoutStack } from './errors.ts'
import type { Ledger } from './ledger.ts'
import { limits } from './limits.ts'
import type { Owned } from './owned.ts'
import type {
  Ask,
  ChildReport,
  ErrorReport,
  Problem,
  ScopeReport,
  StepOutcome,
  StepReport,
  TaskOutcome,
  TaskReport,
} from './report.ts'

/** Collects what happens during one close, bounded, and writes the report. */
export class ReportBook {
  readonly #ledger: Ledger
  readonly #askedAt: number
  readonly #steps = new Shelf<StepReport>()
  readonly #tasks = new Shelf<TaskReport>()
  readonly #children = new Shelf<ChildReport>()

  constructor(ledger: Ledger, askedAt: number) {
    this.#ledger = ledger
    this.#askedAt = askedAt
  }

  task(
    member: Owned & { readonly kind: TaskReport['kind'] },
    outcome: TaskOutcome,
    cancelledAt: number | undefined,
    error: unknown,
  ): void {
    const clean = outcome !== 'failed' && outcome !== 'abandoned'
    this.#tasks.put(clean, () => ({
      name: member.name,
      kind: member.kind,
      phase: this.#phase(member),
      outcome,
      at: this.#since(this.#now()),
      ...(cancelledAt === undefined ? {} : { cancelledAt: this.#since(cancelledAt) }),
      ...(outcome === 'failed' ? { error: describeError(error) } : {}),
    }))
  }

  step(
    member: Owned & { readonly kind: StepReport['kind'] },
    outcome: StepOutcome,
    beganAt: number | undefined,
    forced: boolean,
    error: unknown,
  ): void {
    const now = this.#now()
    this.#steps.put(outcome === 'done', () => ({
      name: member.name,
      kind: member.kind,
      phase: this.#phase(member),
      outcome,
      // Negative for a resource that was being ended alone when the scope was closed.
      at: this.#since(beganAt ?? now),
      took: round(Math.max(0, now - (beganAt ?? now))),
      forced,
      ...(error === undefined ? {} : { error: describeError(error) }),
    }))
  }

  child(member: Owned, beganAt: number, report: ScopeReport): void {
    this.#children.put(report.clean, () => ({
      phase: this.#phase(member),
      at: Math.max(0, this.#since(beganAt)),
      // It has closed just now.
      askedAt: round(this.#since(this.#now()) - report.took),
      report,
    }))
  }

  write(ask: {
    reason: string
    by: string | undefined
    date: number
    deadline: number
    /** Whether `abort()` came first: then there was no deadline to meet. */
    aborted: boolean
    alsoAsked: readonly Ask[]
    asksOmitted: number
  }): ScopeReport {
    const ledger = this.#ledger
    const took = Math.max(0, this.#since(this.#now()))
    const closeTimeout = this.#since(ask.deadline)
    const problems = [
      ...ledger.problems.list.map(({ where, time, error }) => ({ where, at: this.#since(time), error })),
      ...this.#stillRunning(took),
      ...(ask.aborted ? [] : lateness(took, closeTimeout)),
    ]
    return deepFreeze({
      version: 1,
      name: ledger.name,
      reason: ask.reason,
      ...(ask.by === undefined ? {} : { by: ask.by }),
      askedAt: new Date(ask.date).toISOString(),
      lived: round(Math.max(0, this.#askedAt - ledger.since)),
      took,
      closeTimeout,
      phases: [...ledger.settings.phases],
      clean: this.#steps.clean && this.#tasks.clean && this.#children.clean && problems.length === 0,
      alsoAsked: ask.alsoAsked.map(({ at, ...rest }) => ({ ...rest, at: round(at) })),
      steps: this.#steps.list(),
      tasks: this.#tasks.list(),
      children: this.#children.list(),
      problems,
      totals: { ...ledger.totals },
      omitted:
        this.#steps.omitted +
        this.#tasks.omitted +
        this.#children.omitted +
        ledger.problems.omitted +
        ask.asksOmitted,
    })
  }

  /** Work of children that closed before: it outlives this scope, too. */
  #stillRunning(at: number): Problem[] {
    return this.#ledger.stillRunning.map(({ scope, kind, name }) => ({
      where: `${kind} '${name}' of '${scope}'`,
      at,
      error: finding('STILL_RUNNING', `it was abandoned when '${scope}' closed, and is still running`),
    }))
  }

  #phase(member: Owned): string {
    return this.#ledger.settings.phases[member.phase]!
  }

  #now(): number {
    return this.#ledger.clock.now()
  }

  #since(time: number): number {
    return round(time - this.#askedAt)
  }
}

/** Keeps so many entries of one sort: those that are not clean first, then the earliest. */
class Shelf<Entry extends { readonly at: number }> {
  readonly #clean: Entry[] = []
  readonly #unclean: Entry[] = []
  #count = 0

  /** The entry is made only if there is room for it. */
  put(clean: boolean, make: () => Entry): void {
    this.#count++
    const entries = clean ? this.#clean : this.#unclean
    if (entries.length < limits.reported) entries.push(make())
  }

  get clean(): boolean {
    return this.#unclean.length === 0
  }

  get omitted(): number {
    return this.#count - this.#kept().length
  }

  list(): Entry[] {
    return this.#kept().toSorted((a, b) => a.at - b.at)
  }

  #kept(): Entry[] {
    return [...this.#unclean, ...this.#clean].slice(0, limits.reported)
  }
}

/** A close that its deadline could not end: the thread was blocked, or the machine slept. */
function lateness(took: number, closeTimeout: number): Problem[] {
  const late = took - closeTimeout
  // Timers count in whole milliseconds: less is not late.
  if (late < 1) return []
  const message = `the report came ${Math.round(late)} ms after the deadline: the thread was blocked, or the machine slept`
  return [{ where: 'the deadline', at: closeTimeout, error: finding('CLOSED_LATE', message) }]
}

function finding(code: string, message: string): ErrorReport {
  return describeError(withoutStack(() => new EndwellError(code, message)))
}

/** A hundredth of a millisecond is as much as anybody reads. */
function round(ms: number): number {
  return Math.round(ms * 100) / 100
}

function deepFreeze<T extends object>(value: T): Readonly<T> {
  // Not Object.values(): making a list of each row costs more than freezing it.
  for (const key in value) {
    const part: unknown = value[key]
    if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) deepFreeze(part)
  }
  return Object.freeze(value)
}
