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
    const { name, kind } = task
    const clean = outcome !== 'failed' && outcome !== 'abandoned'
    if (!this.#tasks.admit(clean)) return
    const at = this.#since(this.#now())
    const entry: Built<TaskReport> = { name, kind, phase: this.#phase(task.phase), outcome, at }
    if (cancelledAt !== undefined) entry.cancelledAt = this.#since(cancelledAt)
    if (outcome === 'failed') entry.error = describeError(error)
    this.#tasks.add(clean, entry)
  }

  addStep(
    member: Member<StepReport['kind']>,
    outcome: StepOutcome,
    beganAt: number | undefined,
    forced: boolean,
    error?: unknown,
  ): void {
    const { name, kind } = member
    const clean = outcome === 'done'
    if (!this.#steps.admit(clean)) return
    const now = this.#now()
    // Negative for a resource that was already ending when the scope was closed.
    const at = this.#since(beganAt ?? now)
    const took = round(Math.max(0, now - (beganAt ?? now)))
    const entry: Built<StepReport> = {
      name,
      kind,
      phase: this.#phase(member.phase),
      outcome,
      at,
      took,
      forced,
    }
    if (error !== undefined) entry.error = describeError(error)
    this.#steps.add(clean, entry)
  }

  addChild(phase: number, beganAt: number, report: ScopeReport): void {
    if (!this.#children.admit(report.clean)) return
    this.#children.add(report.clean, {
      phase: this.#phase(phase),
      at: Math.max(0, this.#since(beganAt)),
      // The child has closed just now.
      askedAt: round(this.#since(this.#now()) - report.took),
      report,
    })
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
    const { reason, by } = requests
    // Optional properties are added last: V8 takes a hundred times as long to add properties after a spread.
    const report: Built<ScopeReport> = {
      version: 1,
      name,
      reason,
      askedAt: new Date(requests.date).toISOString(),
      lived: round(Math.max(0, this.#askedAt - since)),
      took,
      closeTimeout,
      phases: [...settings.phases],
      clean: this.#steps.clean && this.#tasks.clean && this.#children.clean && allProblems.length === 0,
      alsoAsked: requests.alsoAsked.map(rounded),
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
    }
    if (by !== undefined) report.by = by
    return deepFreeze(report)
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

/** A part of a report while it is built. */
type Built<Row> = { -readonly [Key in keyof Row]: Row[Key] }

/** Keeps up to `limits.reported` entries: unclean ones first, then the earliest. */
class BoundedList<Entry extends { readonly at: number }> {
  readonly #clean: Entry[] = []
  readonly #unclean: Entry[] = []
  #count = 0

  /** Counts one more entry. Returns whether there is room for it. */
  admit(clean: boolean): boolean {
    this.#count++
    return (clean ? this.#clean : this.#unclean).length < limits.reported
  }

  add(clean: boolean, entry: Entry): void {
    ;(clean ? this.#clean : this.#unclean).push(entry)
  }

  get clean(): boolean {
    return this.#unclean.length === 0
  }

  get omitted(): number {
    return this.#count - this.#kept
  }

  entries(): Entry[] {
    const kept = [...this.#unclean, ...this.#clean]
    kept.length = this.#kept
    return kept.toSorted((a, b) => a.at - b.at)
  }

  get #kept(): number {
    return Math.min(this.#unclean.length + this.#clean.length, limits.reported)
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

function rounded({ reason, by, at }: Ask): Ask {
  return by === undefined ? { reason, at: round(at) } : { reason, by, at: round(at) }
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
