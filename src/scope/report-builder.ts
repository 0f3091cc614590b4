import { describeError } from './describe-error.ts'
import type { ErrorCode } from './error-codes.ts'
import { EndwellError, withoutStack } from './errors.ts'
import { limits } from './limits.ts'
import type { Problems } from './problems.ts'
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
import type { Settings } from './settings.ts'

/** What a report says about its scope. `Ledger` implements it. */
export interface ReportSubject {
  readonly name: string
  readonly since: number
  readonly settings: Settings
  readonly totals: Readonly<Record<TaskOutcome, number>>
  readonly problems: Problems
  /** Work below that was abandoned before this close began and is still running. */
  readonly stillRunning: readonly { readonly scope: string; readonly kind: string; readonly name: string }[]
}

/** A member of the scope; `phase` is an index. */
interface Member<Kind> {
  readonly name: string
  readonly kind: Kind
  readonly phase: number
}

/** What a report says about the requests to close. */
interface Requests {
  readonly reason: string
  readonly by: string | undefined
  readonly date: number
  readonly deadline: number
  /** Whether `abort()` came first: then there was no deadline to meet. */
  readonly aborted: boolean
  readonly alsoAsked: readonly Ask[]
  readonly asksOmitted: number
}

/** Collects what happens during one close, within limits, and builds the report. */
export class ReportBuilder {
  readonly #subject: ReportSubject
  readonly #askedAt: number
  readonly #steps = new BoundedList<StepReport>()
  readonly #tasks = new BoundedList<TaskReport>()
  readonly #children = new BoundedList<ChildReport>()

  constructor(subject: ReportSubject, askedAt: number) {
    this.#subject = subject
    this.#askedAt = askedAt
  }

  addTask(
    task: Member<TaskReport['kind']>,
    outcome: TaskOutcome,
    cancelledAt: number | undefined,
    error: unknown,
  ): void {
    const clean = outcome !== 'failed' && outcome !== 'abandoned'
    this.#tasks.add(clean, () => ({
      name: task.name,
      kind: task.kind,
      phase: this.#phase(task.phase),
      outcome,
      at: this.#since(this.#now()),
      ...(cancelledAt === undefined ? {} : { cancelledAt: this.#since(cancelledAt) }),
      ...(outcome === 'failed' ? { error: describeError(error) } : {}),
    }))
  }

  addStep(
    member: Member<StepReport['kind']>,
    outcome: StepOutcome,
    beganAt: number | undefined,
    forced: boolean,
    error?: unknown,
  ): void {
    const now = this.#now()
    this.#steps.add(outcome === 'done', () => ({
      name: member.name,
      kind: member.kind,
      phase: this.#phase(member.phase),
      outcome,
      // Negative for a resource that was already ending when the scope was closed.
      at: this.#since(beganAt ?? now),
      took: round(Math.max(0, now - (beganAt ?? now))),
      forced,
      ...(error === undefined ? {} : { error: describeError(error) }),
    }))
  }

  addChild(phase: number, beganAt: number, report: ScopeReport): void {
    this.#children.add(report.clean, () => ({
      phase: this.#phase(phase),
      at: Math.max(0, this.#since(beganAt)),
      // The child has closed just now.
      askedAt: round(this.#since(this.#now()) - report.took),
      report,
    }))
  }

  build(requests: Requests): ScopeReport {
    const { name, since, settings, totals, problems } = this.#subject
    const took = Math.max(0, this.#since(this.#now()))
    const closeTimeout = this.#since(requests.deadline)
    const allProblems = [
      ...problems.list.map(({ where, time, error }) => ({ where, at: this.#since(time), error })),
      ...this.#stillRunning(took),
      ...(requests.aborted ? [] : lateness(took, closeTimeout)),
    ]
    return deepFreeze({
      version: 1,
      name,
      reason: requests.reason,
      ...(requests.by === undefined ? {} : { by: requests.by }),
      askedAt: new Date(requests.date).toISOString(),
      lived: round(Math.max(0, this.#askedAt - since)),
      took,
      closeTimeout,
      phases: [...settings.phases],
      clean: this.#steps.clean && this.#tasks.clean && this.#children.clean && allProblems.length === 0,
      alsoAsked: requests.alsoAsked.map(({ at, ...rest }) => ({ ...rest, at: round(at) })),
      steps: this.#steps.entries(),
      tasks: this.#tasks.entries(),
      children: this.#children.entries(),
      problems: allProblems,
      totals: { ...totals },
      omitted:
        this.#steps.omitted +
        this.#tasks.omitted +
        this.#children.omitted +
        problems.omitted +
        requests.asksOmitted,
    })
  }

  /** Work that goes on although it was cancelled: it outlives this scope. */
  #stillRunning(at: number): Problem[] {
    return this.#subject.stillRunning.map(({ scope, kind, name }) => ({
      where: `${kind} '${name}' of '${scope}'`,
      at,
      error: finding('STILL_RUNNING', `it was cancelled and is still running`),
    }))
  }

  #phase(index: number): string {
    return this.#subject.settings.phases[index]!
  }

  #now(): number {
    return this.#subject.settings.clock.now()
  }

  #since(time: number): number {
    return round(time - this.#askedAt)
  }
}

/** Keeps up to `limits.reported` entries: unclean ones first, then the earliest. */
class BoundedList<Entry extends { readonly at: number }> {
  readonly #clean: Entry[] = []
  readonly #unclean: Entry[] = []
  #count = 0

  /** Calls `make` only if there is room for the entry. */
  add(clean: boolean, make: () => Entry): void {
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

  entries(): Entry[] {
    return this.#kept().toSorted((a, b) => a.at - b.at)
  }

  #kept(): Entry[] {
    return [...this.#unclean, ...this.#clean].slice(0, limits.reported)
  }
}

/** A problem if the report missed its deadline, which only a blocked thread or a sleeping machine can cause. */
function lateness(took: number, closeTimeout: number): Problem[] {
  const late = took - closeTimeout
  // Timers have a resolution of one millisecond.
  if (late < 1) return []
  const message = `the report came ${Math.round(late)} ms after the deadline: the thread was blocked, or the machine slept`
  return [{ where: 'the deadline', at: closeTimeout, error: finding('CLOSED_LATE', message) }]
}

function finding(code: ErrorCode, message: string): ErrorReport {
  return describeError(withoutStack(() => new EndwellError(code, message)))
}

/** Rounds to a hundredth of a millisecond. */
function round(ms: number): number {
  return Math.round(ms * 100) / 100
}

function deepFreeze<T extends object>(value: T): Readonly<T> {
  // Not Object.values(): building a list for each row costs more than freezing the row.
  for (const key in value) {
    const part: unknown = value[key]
    if (typeof part === 'object' && part !== null && !Object.isFrozen(part)) deepFreeze(part)
  }
  return Object.freeze(value)
}
