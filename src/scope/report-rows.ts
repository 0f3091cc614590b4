import type {
  ChildReport,
  ErrorReport,
  ScopeReport,
  StepOutcome,
  StepReport,
  TaskOutcome,
  TaskReport,
} from './report.ts'
import { plain, timeText } from './terminal-text.ts'

export type Outcome = TaskOutcome | StepOutcome | 'clean' | 'not clean'

/** One line of a printed report. Its depth is that of the tree; its text has been made safe to print. */
export type Row = Span | Heading | Note

/** Something that had to end, and when it did. Times count from the ask of the outermost scope. */
export interface Span {
  readonly type: 'span'
  readonly depth: number
  readonly kind: 'task' | 'opening' | 'resource' | 'deferred' | 'scope'
  readonly name: string
  readonly outcome: Outcome
  /** Negative if it had begun to end before. */
  readonly begin: number
  /** Until here it was shielded from the close. */
  readonly shield?: number
  readonly end: number
  readonly took: number
}

export interface Heading {
  readonly type: 'phase'
  readonly depth: number
  readonly name: string
}

/** A line below a span, or in place of spans that are not shown. */
export interface Note {
  readonly type: 'error' | 'reason' | 'more'
  readonly depth: number
  readonly text: string
  /** How what it stands for ended. */
  readonly outcome: Outcome
}

/** Of so many spans of one kind and outcome a few are shown: the slowest, or the first that went wrong. */
const many = { healthy: 13, unhealthy: 19 } as const
const few = { healthy: 6, unhealthy: 16 } as const
/** Rows of a whole report. Trees so big are read by a program. */
const mostRows = 500

const healthyOutcomes: ReadonlySet<Outcome> = new Set(['ended', 'cancelled', 'closer', 'done', 'clean'])

export function isHealthy(outcome: Outcome): boolean {
  return healthyOutcomes.has(outcome)
}

/** The rows of a report: phases in their order, and in each the tasks, the children with their rows, the steps. */
export function rowsOf(report: ScopeReport): Row[] {
  const rows: Row[] = []
  let left = 0
  let healthy = true
  for (const row of scopeRows(report, 0, 0)) {
    if (rows.length < mostRows) rows.push(row)
    else {
      left++
      healthy &&= row.type === 'phase' || isHealthy(row.outcome)
    }
  }
  const text = `and ${left} more rows: see the report itself`
  if (left > 0) rows.push({ type: 'more', depth: 0, text, outcome: healthy ? 'clean' : 'not clean' })
  return rows
}

export function errorText({ name, message, code }: ErrorReport): string {
  const what = message === '' ? plain(name) : `${plain(name)}: ${plain(message)}`
  return code === undefined ? what : `${what} (${plain(code)})`
}

/** `reason, by whom`. */
export function askText({ reason, by }: { readonly reason: string; readonly by?: string }): string {
  return plain(reason) + (by === undefined ? '' : `, by ${plain(by)}`)
}

/** A span with the rows that belong below it. */
interface Entry {
  readonly span: Span
  readonly note?: Note
  readonly inner?: () => Iterable<Row>
}

function* scopeRows(report: ScopeReport, offset: number, depth: number): Generator<Row> {
  const { tasks, children, steps } = report
  for (const phase of report.phases) {
    const here = (entry: { readonly phase: string }): boolean => entry.phase === phase
    if (![...tasks, ...children, ...steps].some(here)) continue
    const below = depth + 1
    yield { type: 'phase', depth, name: plain(phase) }
    yield* limited(tasks.filter(here).map((task) => taskEntry(task, offset, below)))
    yield* limited(children.filter(here).map((child) => childEntry(child, report, offset, below)))
    yield* limited(steps.filter(here).map((step) => stepEntry(step, offset, below)))
  }
}

function taskEntry(task: TaskReport, offset: number, depth: number): Entry {
  const { kind, outcome, at, cancelledAt, error } = task
  const span: Span = {
    type: 'span',
    depth,
    kind,
    name: plain(task.name),
    outcome,
    begin: offset,
    ...(cancelledAt === undefined ? {} : { shield: offset + cancelledAt }),
    end: offset + at,
    took: at,
  }
  return withError(span, error)
}

function stepEntry(step: StepReport, offset: number, depth: number): Entry {
  const { kind, outcome, at, took, error } = step
  const span: Span = {
    type: 'span',
    depth,
    kind,
    name: plain(step.name),
    outcome,
    begin: offset + at,
    end: offset + at + took,
    took,
  }
  return withError(span, error)
}

function childEntry(
  { report, askedAt }: ChildReport,
  parent: ScopeReport,
  parentOffset: number,
  depth: number,
): Entry {
  const offset = parentOffset + askedAt
  const outcome = report.clean ? 'clean' : 'not clean'
  const span: Span = {
    type: 'span',
    depth,
    kind: 'scope',
    name: plain(report.name),
    outcome,
    begin: offset,
    end: offset + report.took,
    took: report.took,
  }
  const inner = (): Iterable<Row> => scopeRows(report, offset, depth + 1)
  const told = report.reason === parent.reason && report.by === `scope '${parent.name}'`
  if (told) return { span, inner }
  const since = askedAt < 0 ? `closing already, for ${timeText(-askedAt)}` : `asked at ${timeText(askedAt)}`
  return { span, note: { type: 'reason', depth, text: `${since}: ${askText(report)}`, outcome }, inner }
}

function withError(span: Span, error: ErrorReport | undefined): Entry {
  const { depth, outcome } = span
  return error ? { span, note: { type: 'error', depth, text: errorText(error), outcome } } : { span }
}

/** The rows of entries in the order of time; where many are alike, a few of them and the number of the others. */
function* limited(unsorted: readonly Entry[]): Generator<Row> {
  const entries = unsorted.toSorted((a, b) => a.span.begin - b.span.begin || a.span.end - b.span.end)
  const alike = bySort(entries)
  for (const entry of entries) {
    const { span, note, inner } = entry
    const { shown, hidden } = alike.get(sortOf(entry))!
    if (!shown.has(entry)) continue
    yield span
    if (note) yield note
    // Where there are many healthy children, what is inside of them is no news.
    if (inner && !(hidden.length > 0 && isHealthy(span.outcome))) yield* inner()
    shown.delete(entry)
    if (shown.size === 0 && hidden.length > 0) yield moreOf(hidden)
  }
}

interface Alike {
  readonly shown: Set<Entry>
  readonly hidden: Entry[]
}

function bySort(entries: readonly Entry[]): Map<string, Alike> {
  const sorts = new Map<string, Entry[]>()
  for (const entry of entries) {
    const sort = sorts.get(sortOf(entry))
    if (sort) sort.push(entry)
    else sorts.set(sortOf(entry), [entry])
  }
  return new Map(Array.from(sorts, ([sort, alike]) => [sort, choose(alike)]))
}

function choose(alike: readonly Entry[]): Alike {
  const health = isHealthy(alike[0]!.span.outcome) ? 'healthy' : 'unhealthy'
  if (alike.length < many[health]) return { shown: new Set(alike), hidden: [] }
  const ranked = health === 'healthy' ? alike.toSorted((a, b) => b.span.took - a.span.took) : alike
  return { shown: new Set(ranked.slice(0, few[health])), hidden: ranked.slice(few[health]) }
}

function sortOf({ span }: Entry): string {
  return `${span.kind} ${span.outcome}`
}

function moreOf(hidden: readonly Entry[]): Note {
  const { depth, kind, outcome } = hidden[0]!.span
  const longest = Math.max(...hidden.map(({ span }) => span.took))
  const within = isHealthy(outcome) ? ` within ${timeText(longest)}` : ''
  const text = `and ${hidden.length} more ${plurals[kind]}, ${outcome}${within}`
  return { type: 'more', depth, text, outcome }
}

const plurals: Readonly<Record<Span['kind'], string>> = {
  task: 'tasks',
  opening: 'openings',
  resource: 'resources',
  deferred: 'deferred steps',
  scope: 'scopes',
}
