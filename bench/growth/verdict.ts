import { judgedCurves, type CurveName, type Points } from './curve.ts'

/** How much more a unit may cost at the largest size than at the smallest. */
export const FLAT = 1.2

export type GrowthFigure = 'cpu' | 'memory'

/** How one figure of a curve grows. */
export interface Bend {
  readonly curve: CurveName
  readonly figure: GrowthFigure
  /** The cost of a unit at the largest size, as a multiple of that at the smallest, on the line fitted to all sizes. */
  readonly times: number
  readonly ok: boolean
}

/** The bends of all curves that have a target. */
export function bendsOf(points: Points): Bend[] {
  return judgedCurves().flatMap(([curve, { hasMemory }]) =>
    (hasMemory ? (['cpu', 'memory'] as const) : (['cpu'] as const)).map((figure) => {
      const { first, last } = fitted(points, curve, figure)
      const times = round(last / first)
      return { curve, figure, times, ok: times <= FLAT }
    }),
  )
}

/** The cost at the smallest and at the largest size, on a line fitted to the logarithms, because a single point is noisy. */
function fitted(
  points: Points,
  curve: string,
  figure: GrowthFigure,
): { readonly first: number; readonly last: number } {
  const logs = Object.entries(points[curve] ?? {}).map(([size, point]) => ({
    x: Math.log(Number(size)),
    y: Math.log(point[figure] ?? Number.NaN),
  }))
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const xs = logs.map(({ x }) => x)
  const center = { x: mean(xs), y: mean(logs.map(({ y }) => y)) }
  const slope = mean(logs.map(({ x, y }) => (x - center.x) * y)) / mean(xs.map((x) => (x - center.x) ** 2))
  const at = (x: number): number => Math.exp(center.y + slope * (x - center.x))
  return { first: at(Math.min(...xs)), last: at(Math.max(...xs)) }
}

const round = (value: number): number => Math.round(value * 100) / 100
