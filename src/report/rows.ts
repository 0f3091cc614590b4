import type {
  ChildReport,
  ErrorReport,
  ScopeReport,
  StepOutcome,
  StepReport,
  TaskOutcome,
  TaskReport,
} from '../scope/index.ts'
import { plain, timeText } from './terminal-text.ts'

export type Outcome = TaskOutcome | StepOutcome | 'clean' | 'not clean'

/** One line of a printed report. `depth` is the depth in the tree of scopes; all text is safe to print. */
export type Row = Span | Heading | Note

/** Something that had to end. Times count from the close request of the outermost scope. */
export interface Span {
  readonly type: 'span'
  readonly depth: number
  readonly kind: 'task' | 'opening' | 'resource' | 'deferred' | 'scope'
  readonly name: string
  readonly outcome: Outcome
  /** Negative if its end began before the close did. */
  readonly begin: number
  /** When its shield ended. */
  readonly shield?: number
  readonly end: number
  readonly took: number
}

export interface Heading {
  readonly type: 'phase'
  readonly depth: number
  readonly name: string
}

/** A line below a span, or a line that stands for spans that are not shown. */
export interface Note {
  readonly type: 'error' | 'reason' | 'more'
  readonly depth: number
  readonly text: string
  /** The outcome of the span or spans. */
  readonly outcome: Outcome
}

/** From `many` spans of one kind and outcome on, only a `few` are shown: the slowest, or the first that went wrong. */
const many = { healthy: 13, unhealthy: 19 } as const
const few = { healthy: 6, unhealthy: 16 } as const
/** Rows in total. A larger tree is for programs to read. */
const MOST_ROWS = 500

const healthyOutcomes: ReadonlySet<Outcome> = new Set(['ended', 'cancelled', 'closer', 'done', 'clean'])

export function isHealthy(outcome: Outcome): boolean {
  return healthyOutcomes.has(outcome)
}

/** The rows of a report: its phases in order and, in each phase, tasks, children with their rows, and steps. */
export function rowsOf(report: ScopeReport): Row[] {
  const rows: Row[] = []
  let left = 0
  let healthy = true
  for (const row of scopeRows(report, 0, 0)) {
    if (rows.length < MOST_ROWS) rows.push(row)
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
export function requestText({ reason, by }: { readonly reason: string; readonly by?: string }): string {
  return plain(reason) + (by === undefined ? '' : `, by ${plain(by)}`)
}

/** A span and the rows that go below it. */
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
  const byParent = report.reason === parent.reason && report.by === `scope '${parent.name}'`
  if (byParent) return { span, inner }
  const when = askedAt < 0 ? `already closing for ${timeText(-askedAt)}` : `requested at ${timeText(askedAt)}`
  return { span, note: { type: 'reason', depth, text: `${when}: ${requestText(report)}`, outcome }, inner }
}

function withError(span: Span, error: ErrorReport | undefined): Entry {
  const { depth, outcome } = span
  return error ? { span, note: { type: 'error', depth, text: errorText(error), outcome } } : { span }
}

/** The rows of entries in order of time. Of many entries that are alike, it gives a few and counts the rest. */
function* limited(unsorted: readonly Entry[]): Generator<Row> {
  const entries = unsorted.toSorted((a, b) => a.span.begin - b.span.begin || a.span.end - b.span.end)
  const groups = groupAlike(entries)
  for (const entry of entries) {
    const { span, note, inner } = entry
    const { shown, hidden } = groups.get(groupOf(entry))!
    if (!shown.has(entry)) continue
    yield span
    if (note) yield note
    // When healthy children are many, their contents do not matter.
    if (inner && !(hidden.length > 0 && isHealthy(span.outcome))) yield* inner()
    shown.delete(entry)
    if (shown.size === 0 && hidden.length > 0) yield moreOf(hidden)
  }
}

interface Group {
  readonly shown: Set<Entry>
  readonly hidden: Entry[]
}

function groupAlike(entries: readonly Entry[]): Map<string, Group> {
  const groups = new Map<string, Entry[]>()
  for (const entry of entries) {
    const group = groups.get(groupOf(entry))
    if (group) group.push(entry)
    else groups.set(groupOf(entry), [entry])
  }
  return new Map(Array.from(groups, ([key, alike]) => [key, choose(alike)]))
}

function choose(alike: readonly Entry[]): Group {
  const health = isHealthy(alike[0]!.span.outcome) ? 'healthy' : 'unhealthy'
  if (alike.length < many[health]) return { shown: new Set(alike), hidden: [] }
  const ranked = health === 'healthy' ? alike.toSorted((a, b) => b.span.took - a.span.took) : alike
  return { shown: new Set(ranked.slice(0, few[health])), hidden: ranked.slice(few[health]) }
}

function groupOf({ span }: Entry): string {
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
