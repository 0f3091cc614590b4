/** How long to wait after failures in a row: doubles with each, up to `longest`. */
const ceiling = (first: number, longest: number, failures: number): number =>
  Math.min(longest, first * 2 ** Math.max(0, failures - 1))

/** Full jitter: anything between nothing and the ceiling, so that work that failed together is not retried together. */
export function fullJitter(first: number, longest: number, failures: number, jitter: number): number {
  return Math.round(ceiling(first, longest, failures) * jitter)
}

/** Half jitter: at least half of the ceiling, for a peer that must not be asked again at once. */
export function halfJitter(first: number, longest: number, failures: number, jitter: number): number {
  return Math.round(ceiling(first, longest, failures) * (0.5 + jitter / 2))
}
