export interface Point {
  readonly x: number
  readonly y: number
}

/** The slope of the line with the least squares through all points. 0 for fewer than two different `x`. */
export function slope(points: readonly Point[]): number {
  const meanX = mean(points.map(({ x }) => x))
  const meanY = mean(points.map(({ y }) => y))
  let above = 0
  let below = 0
  for (const { x, y } of points) {
    above += (x - meanX) * (y - meanY)
    below += (x - meanX) ** 2
  }
  return below === 0 ? 0 : above / below
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
