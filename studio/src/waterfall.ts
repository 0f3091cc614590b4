import { isWrong } from '../../src/host/outcome.ts'
import { rowsOf, timeText, type Row, type Span } from '../../src/report/index.ts'
import type { ScopeReport } from '../../src/scope/index.ts'

/** A deadline this much later than the end is still drawn to scale; a later one would squash what happened. */
const DEADLINE_REACH = 1.25
/** Room to the right of the last end if the deadline is farther away, as a part of the width. */
const MARGIN = 0.06
/** Parts of the width from one tick to the next, at the least. */
const TICK_ROOM = 0.13

const steps = [
  ...[0.01, 0.1, 1, 10, 100, 1_000].flatMap((unit) => [unit, 2 * unit, 5 * unit]),
  ...[10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600].map((s) => s * 1_000),
]

export type Tone = 'good' | 'bad' | 'warn'

/** One row: a phase, something that had to end, or a word on it. Places are in per cent of the width. */
export type WaterfallRow =
  | { readonly type: 'phase'; readonly depth: number; readonly name: string }
  | Bar
  | { readonly type: 'note'; readonly depth: number; readonly text: string; readonly tone: Tone }

export interface Bar {
  readonly type: 'bar'
  readonly depth: number
  readonly name: string
  readonly kind: Span['kind']
  readonly outcome: string
  readonly tone: Tone
  readonly left: number
  readonly width: number
  /** The first part of it, during which the close left it alone, as per cent of the bar. */
  readonly shielded: number
  /** It was not over when the report was made. */
  readonly goesOn: boolean
  readonly took: string
}

export interface Waterfall {
  readonly rows: readonly WaterfallRow[]
  readonly ticks: readonly { readonly at: number; readonly text: string }[]
  /** Where the deadline is drawn, and what it was. `beyond`: it is farther away than that. */
  readonly deadline?: { readonly at: number; readonly text: string; readonly beyond: boolean }
}

/** The report of a close as bars over one axis of time. */
export function waterfallOf(report: ScopeReport): Waterfall {
  const { took, closeTimeout: deadline } = report
  const beyond = deadline > took * DEADLINE_REACH
  const end = beyond ? took / (1 - MARGIN) : Math.max(took, deadline)
  const place = (at: number): number => (end === 0 ? 0 : Math.min(100, Math.max(0, (at / end) * 100)))
  return {
    rows: plainer(rowsOf(report)).map((row) => rowOf(row, place)),
    ticks: ticksOf(end, took).map((at) => ({ at: place(at), text: at === 0 ? '0' : timeText(at) })),
    ...(deadline > 0
      ? { deadline: { at: beyond ? 100 : place(deadline), text: timeText(deadline), beyond } }
      : {}),
  }
}

/**
 * Without the phases of scopes inside, and those that have the name of the scope in them: whoever reads wants to know
 * who took how long. What is left is one level deep for each scope.
 */
function plainer(rows: readonly Row[]): Row[] {
  return rows
    .filter((row, index) => {
      const next = rows[index + 1]
      return row.type !== 'phase' || (row.depth === 0 && !(next?.type === 'span' && next.name === row.name))
    })
    .map((row) => ({
      ...row,
      depth: Math.max(0, Math.ceil(row.depth / 2) - 1) + (row.type === 'phase' ? 0 : 1),
    }))
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
    name,
    kind,
    outcome,
    tone,
    left,
    width,
    shielded: shield === undefined || width === 0 ? 0 : ((place(shield) - left) / width) * 100,
    goesOn: outcome === 'abandoned' || outcome === 'pending' || outcome === 'closer',
    took: outcome === 'skipped' ? '–' : timeText(took),
  }
}

export const toneOf = (outcome: string): Tone =>
  outcome === 'pending' ? 'warn' : isWrong(outcome) ? 'bad' : 'good'

function ticksOf(end: number, took: number): number[] {
  if (end <= 0) return [0]
  const step = steps.find((each) => each / end >= TICK_ROOM) ?? end
  const last = Math.max(took, 0)
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => index * step)
}
