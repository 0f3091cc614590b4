import { isWrong } from '../../../src/host/wire/index.ts'
import { rowsOf, type Heading, type Row, type Span } from '../../../src/report/index.ts'
import type { ScopeReport } from '../../../src/scope/index.ts'
import { timeText } from '../shared/texts.ts'
import { nameText, outcomeText, sections } from '../shared/words.ts'

/** A deadline is drawn to scale up to this multiple of the close time. A later one would squash the bars. */
const DEADLINE_REACH = 1.25
/** The free share of the width to the right of the last bar, if the deadline is not drawn to scale. */
const MARGIN = 0.06
/** The least distance between two ticks, as a share of the width. */
const TICK_DISTANCE = 0.13

const tickSteps = [
  ...[0.01, 0.1, 1, 10, 100, 1_000].flatMap((unit) => [unit, 2 * unit, 5 * unit]),
  ...[10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600].map((s) => s * 1_000),
]

export type Tone = 'good' | 'bad' | 'warn'

/** A heading, a bar, or a note below a bar. Positions are percentages of the width. */
export type WaterfallRow =
  | { readonly type: 'phase'; readonly depth: number; readonly name: string }
  | Bar
  | { readonly type: 'note'; readonly depth: number; readonly text: string; readonly tone: Tone }

export interface Bar {
  readonly type: 'bar'
  readonly depth: number
  readonly name: string
  readonly kind: Span['kind'] | 'timer'
  readonly outcome: string
  readonly tone: Tone
  readonly left: number
  readonly width: number
  /** How much of the bar, from its left, is the time in which it was shielded. A percentage of the bar. */
  readonly shielded: number
  /** Whether it was still running when the report was made. */
  readonly goesOn: boolean
  /** Whether it has yet to end. Only while the session closes. */
  readonly open?: boolean
  /** Whether its end has not begun. */
  readonly waits?: boolean
  readonly took: string
}

export interface Waterfall {
  readonly rows: readonly WaterfallRow[]
  readonly ticks: readonly { readonly at: number; readonly text: string }[]
  /** `beyond`: the deadline is later than where it is drawn, at the right edge. */
  readonly deadline?: { readonly at: number; readonly text: string; readonly beyond: boolean }
}

/** The report of a close as bars on a time axis. */
export function waterfallOf(report: ScopeReport): Waterfall {
  const { took, closeTimeout: deadline } = report
  const beyond = deadline > took * DEADLINE_REACH
  const end = beyond ? took / (1 - MARGIN) : Math.max(took, deadline)
  const place = (at: number): number => (end === 0 ? 0 : Math.min(100, Math.max(0, (at / end) * 100)))
  return {
    rows: withoutToolScopes(simplified(rowsOf(report))).map((row) => rowOf(row, place)),
    ticks: ticksOf(end, took).map((at) => ({ at: place(at), text: at === 0 ? '0' : timeText(at) })),
    ...(deadline > 0
      ? { deadline: { at: beyond ? 100 : place(deadline), text: timeText(deadline), beyond } }
      : {}),
  }
}

/** The scopes and phases that only sort what a session owns. Their contents have headings instead. */
const groups: ReadonlySet<string> = new Set(['rest', 'links'])

/** Headings for what is closed together, and one level of depth per scope. Groups and inner phases are left out. */
function simplified(rows: readonly Row[]): Row[] {
  const kept: Row[] = []
  let heading = ''
  /** How many levels around a row are left out. */
  let levels = 0
  for (const row of rows) {
    if (row.type === 'phase') {
      const name = headingOf(row)
      if (name !== undefined && name !== heading) kept.push({ ...row, depth: 0, name: (heading = name) })
      if (row.depth === 0) levels = 0
    } else if (row.type === 'span' && row.kind === 'scope' && groups.has(row.name) && row.depth <= 3) {
      levels = Math.ceil(row.depth / 2)
    } else {
      const depth = Math.max(1, Math.ceil(row.depth / 2) - levels)
      kept.push({ ...row, depth })
    }
  }
  return kept
}

/** A tool runs in a scope of its own, `tool book`, as the task `book`: one row is enough for both. */
function withoutToolScopes(rows: readonly Row[]): Row[] {
  return rows.flatMap((row, index): readonly Row[] => {
    if (isToolScope(row, rows[index + 1])) return []
    const scope = rows[index - 1]
    return scope && isToolScope(scope, row)
      ? [{ ...row, name: scope.name, depth: scope.depth } as Row]
      : [row]
  })
}

const isToolScope = (row: Row, next: Row | undefined): row is Span =>
  row.type === 'span' && row.kind === 'scope' && next?.type === 'span' && row.name === `tool ${next.name}`

function headingOf({ name, depth }: Heading): string | undefined {
  if (depth <= 2 && Object.hasOwn(sections, name)) return sections[name as keyof typeof sections]
  return depth === 0 && !groups.has(name) ? name : undefined
}

function rowOf(row: Row, place: (at: number) => number): WaterfallRow {
  if (row.type === 'phase') return row
  const tone = toneOf(row.outcome)
  if (row.type !== 'span') return { type: 'note', depth: row.depth, text: row.text, tone }
  const { depth, name, kind, outcome, begin, end, shield, took } = row
  const left = place(begin)
  const width = place(end) - left
  return {
    type: 'bar',
    depth,
    name: nameText(name),
    kind,
    outcome: outcomeText(outcome),
    tone,
    left,
    width,
    shielded: shield === undefined || width === 0 ? 0 : ((place(shield) - left) / width) * 100,
    goesOn: outcome === 'abandoned' || outcome === 'pending' || outcome === 'closer',
    took: outcome === 'skipped' ? '–' : timeText(took),
  }
}

const toneOf = (outcome: string): Tone => (outcome === 'pending' ? 'warn' : isWrong(outcome) ? 'bad' : 'good')

export function ticksOf(end: number, took: number): number[] {
  if (end <= 0) return [0]
  const step = tickSteps.find((each) => each / end >= TICK_DISTANCE) ?? end
  const last = Math.max(took, 0)
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => index * step)
}
