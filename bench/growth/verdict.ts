import { curves, type Curve, type CurveName, type Points } from './curve.ts'

/** How much more a unit may cost at the largest size than at the smallest. */
export const FLAT = 1.2

export type GrowthFigure = 'cpu' | 'memory'

/** How one figure of a curve grows. */
export interface Bend {
  readonly curve: CurveName
  readonly figure: GrowthFigure
  /** The cost of a unit at the largest size, as a multiple of that at the smallest, on the line fitted to all sizes. */
  readonly times: number
  /** What is allowed: 1.2, or the bend of the floor if that is more. */
  readonly allowed: number
  readonly ok: boolean
}

/** The bends of all curves that have a target. */
export function bendsOf(points: Points): Bend[] {
  return (Object.entries(curves) as [CurveName, Curve][])
    .filter(([, { isFloor }]) => isFloor !== true)
    .flatMap(([curve, { hasMemory, floor }]) =>
      (hasMemory ? (['cpu', 'memory'] as const) : (['cpu'] as const)).map((figure) => {
        const times = bend(points, curve, figure)
        const least = floor === undefined ? 0 : bend(points, floor, figure)
        const allowed = round(Math.max(FLAT, Number.isNaN(least) ? 0 : least))
        return { curve, figure, times, allowed, ok: times <= allowed }
      }),
    )
}

/** Fits a line to the logarithms of sizes and costs, because a single point is noisy. */
function bend(points: Points, curve: string, figure: GrowthFigure): number {
  const logs = Object.entries(points[curve] ?? {}).map(([size, point]) => ({
    x: Math.log(Number(size)),
    y: Math.log(point[figure] ?? Number.NaN),
  }))
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const center = mean(logs.map(({ x }) => x))
  const slope = mean(logs.map(({ x, y }) => (x - center) * y)) / mean(logs.map(({ x }) => (x - center) ** 2))
  const xs = logs.map(({ x }) => x)
  return round(Math.exp(slope * (Math.max(...xs) - Math.min(...xs))))
}

const round = (value: number): number => Math.round(value * 100) / 100
