import { isWrong } from '../../../src/host/wire/index.ts'
import { rowsOf, type Row, type Span } from '../../../src/report/index.ts'
import type { ScopeReport } from '../../../src/scope/index.ts'
import { timeText } from '../shared/texts.ts'

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
  readonly kind: Span['kind']
  readonly outcome: string
  readonly tone: Tone
  readonly left: number
  readonly width: number
  /** How much of the bar, from its left, is the time in which it was shielded. A percentage of the bar. */
  readonly shielded: number
  /** Whether it was still running when the report was made. */
  readonly goesOn: boolean
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
    rows: simplified(rowsOf(report)).map((row) => rowOf(row, place)),
    ticks: ticksOf(end, took).map((at) => ({ at: place(at), text: at === 0 ? '0' : timeText(at) })),
    ...(deadline > 0
      ? { deadline: { at: beyond ? 100 : place(deadline), text: timeText(deadline), beyond } }
      : {}),
  }
}

/** Keeps only the outermost phases, except one that has the name of its first bar, and one level of depth per scope. */
function simplified(rows: readonly Row[]): Row[] {
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

const toneOf = (outcome: string): Tone => (outcome === 'pending' ? 'warn' : isWrong(outcome) ? 'bad' : 'good')

function ticksOf(end: number, took: number): number[] {
  if (end <= 0) return [0]
  const step = tickSteps.find((each) => each / end >= TICK_DISTANCE) ?? end
  const last = Math.max(took, 0)
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => index * step)
}
