import { isWrong, type CloseTimes } from '../../../src/host/wire/index.ts'
import { sectionsOf, sorted } from '../live/resource-sections.ts'
import type { ResourceNode } from '../live/resource-tree.ts'
import { timeText } from '../shared/texts.ts'
import { nameText, outcomeText } from '../shared/words.ts'
import { ticksOf, type Bar, type Waterfall, type WaterfallRow } from './waterfall.ts'

/** Where the last tick may be, as a share of the axis: a later one would run into the next column. */
const LAST_TICK = 0.9

interface Progress {
  /** Things that had to end, and how many of them have. */
  readonly total: number
  readonly ended: number
}

/** A close that is under way, as bars that grow towards the deadline. */
export function closingWaterfallOf(
  tree: ResourceNode,
  { askedAt, deadline }: CloseTimes,
  now: number,
): Waterfall & Progress {
  const end = Math.max(1, deadline - askedAt)
  const place = (at: number): number => Math.min(100, Math.max(0, ((at - askedAt) / end) * 100))
  const rows: WaterfallRow[] = []
  for (const [name, nodes] of sectionsOf(tree)) {
    const bars = nodes.flatMap((node) => barsOf(node, 1, { askedAt, now, place }))
    if (bars.length > 0) rows.push({ type: 'phase', depth: 0, name }, ...bars)
  }
  const leaves = rows.filter((row) => row.type === 'bar' && row.kind !== 'scope') as Bar[]
  return {
    rows,
    // The deadline has its own mark at the end of the axis.
    ticks: ticksOf(end, end * LAST_TICK).map((at) => ({
      at: place(askedAt + at),
      text: at === 0 ? '0' : timeText(at),
    })),
    deadline: { at: 100, text: timeText(end), beyond: false },
    total: leaves.length,
    ended: leaves.filter(({ open }) => !open).length,
  }
}

interface Axis {
  readonly askedAt: number
  readonly now: number
  readonly place: (at: number) => number
}

function barsOf(node: ResourceNode, depth: number, axis: Axis): Bar[] {
  const { kind, name, closingAt, endedAt, outcome, children } = node
  const { askedAt, now, place } = axis
  if (kind === 'timer' || (endedAt !== undefined && endedAt < askedAt)) return []
  const isStep = kind === 'resource' || kind === 'deferred'
  const begun = isStep ? closingAt : askedAt
  const from = begun ?? now
  const to = endedAt ?? now
  const open = endedAt === undefined
  const left = place(from)
  const bar: Bar = {
    type: 'bar',
    depth,
    name: nameText(name),
    kind,
    outcome: open ? (begun === undefined ? 'waiting' : 'closing…') : outcomeText(outcome ?? 'ended'),
    tone: isWrong(outcome) ? 'bad' : 'good',
    left,
    width: Math.max(0, place(to) - left),
    shielded: 0,
    goesOn: false,
    open,
    ...(open && begun === undefined ? { waits: true } : {}),
    took: begun === undefined && open ? '' : timeText(to - from),
  }
  return [bar, ...sorted(children).flatMap((child) => barsOf(child, depth + 1, axis))]
}
