import { judgedCurves, type Curve, type Points } from '../../bench/growth/curve.ts'
import { FLAT, type GrowthFigure } from '../../bench/growth/verdict.ts'
import { element, picture, text, type Theme } from './svg.ts'

/** What `npm run bench -- growth --json` prints, as far as the chart needs it. */
export interface GrowthOutcome {
  readonly node: string
  readonly points: Points
}

const COLUMNS = 3
const PANEL = { width: 250, height: 190 }
const PLOT = { x: 40, y: 44, width: 190, height: 100 }
/** The top of the scale. The bottom is 0, and 1 is the smallest size. */
const MOST = 5

/** One panel per curve: the cost per unit, as a multiple of that at the smallest size. A flat line grows in proportion. */
export function growthChart({ node, points }: GrowthOutcome, theme: Theme): string {
  const shown = judgedCurves()
  const height = 46 + Math.ceil(shown.length / COLUMNS) * PANEL.height
  const panels = shown.map(([name, curve], index) => {
    const x = 10 + (index % COLUMNS) * PANEL.width
    const y = 40 + Math.floor(index / COLUMNS) * PANEL.height
    return element('g', { transform: `translate(${x} ${y})` }, ...panel(name, curve, points, theme))
  })
  const legend = (x: number, stroke: string, dashes: string, name: string): string[] => [
    element('line', {
      x1: x,
      y1: 24,
      x2: x + 22,
      y2: 24,
      stroke,
      'stroke-width': 2,
      'stroke-dasharray': dashes,
    }),
    text(x + 28, 28, name),
  ]
  const width = 20 + COLUMNS * PANEL.width
  return picture({ width, height }, theme, 'What a unit costs as there are more of them', [
    ...legend(20, theme.accent, '0', 'CPU per unit'),
    ...legend(150, theme.other, '0', 'memory per unit'),
    ...legend(300, theme.soft, '2 3', 'CPU with the garbage collector'),
    text(width - 20, 28, `1 = the smallest size · Node ${node.replace('v', '')}`, {
      'text-anchor': 'end',
      fill: theme.soft,
      'font-size': 12,
    }),
    ...panels,
  ])
}

function panel(name: string, curve: Curve, points: Points, theme: Theme): string[] {
  const { sizes, collected, hasMemory } = curve
  const span = Math.log(sizes.at(-1)! / sizes[0]!)
  const xOf = (size: number): number => PLOT.x + (Math.log(size / sizes[0]!) / span) * PLOT.width
  const yOf = (times: number): number => PLOT.y + PLOT.height * (1 - Math.min(times, MOST) / MOST)
  const level = (times: number, dashes: string): string =>
    element('line', {
      x1: PLOT.x,
      x2: PLOT.x + PLOT.width,
      y1: yOf(times),
      y2: yOf(times),
      stroke: theme.line,
      'stroke-dasharray': dashes,
    })
  const curveOf = (from: string, figure: GrowthFigure, stroke: string, dashes: string): string[] => {
    const first = points[from]?.[sizes[0]!]?.[figure]
    if (first === undefined) return []
    const path = sizes.map((size) => {
      const times = (points[from]?.[size]?.[figure] ?? Number.NaN) / first
      return `${xOf(size).toFixed(1)},${yOf(times).toFixed(1)}`
    })
    return [
      element('polyline', {
        points: path.join(' '),
        fill: 'none',
        stroke,
        'stroke-width': 2,
        'stroke-dasharray': dashes,
      }),
    ]
  }
  const axis = [0, 1, 2, 3, 4, 5].map((times) =>
    text(PLOT.x - 8, yOf(times) + 4, `${times}`, { 'text-anchor': 'end', fill: theme.soft, 'font-size': 11 }),
  )
  const ticks = sizes.map((size) =>
    text(xOf(size), PLOT.y + PLOT.height + 16, size.toLocaleString('en-US'), {
      'text-anchor': 'middle',
      fill: theme.soft,
      'font-size': 11,
    }),
  )
  return [
    text(PLOT.x - 16, 18, name, { 'font-weight': 600 }),
    text(PLOT.x - 16, 34, `by ${curve.of}, per ${curve.per}`, { fill: theme.soft, 'font-size': 12 }),
    level(0, '0'),
    level(1, '0'),
    level(FLAT, '2 3'),
    ...axis,
    ...ticks,
    ...(collected === undefined ? [] : curveOf(collected, 'cpu', theme.soft, '2 3')),
    ...curveOf(name, 'cpu', theme.accent, '0'),
    ...(hasMemory ? curveOf(name, 'memory', theme.other, '0') : []),
  ]
}
