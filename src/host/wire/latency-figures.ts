import type { TurnLatency, TurnStage } from '../../session/index.ts'

/** How long the caller waited for the answers of a call, in milliseconds. */
export interface LatencyFigures {
  /** Half of the answers were at least this fast. */
  readonly p50: number
  /** One answer in twenty was slower. */
  readonly p95: number
  /** The stage in which most of the time went. */
  readonly stage?: TurnStage
}

/** Undefined if no turn was answered. */
export function latencyFiguresOf(turns: readonly TurnLatency[]): LatencyFigures | undefined {
  const values = turns.map(({ ms }) => ms)
  const p50 = percentileOf(values, 0.5)
  const p95 = percentileOf(values, 0.95)
  if (p50 === undefined || p95 === undefined) return undefined
  const stage = slowestStageOf(turns)?.stage
  return { p50, p95, ...(stage === undefined ? {} : { stage }) }
}

/** The smallest value that is not less than the given share of all values. */
export function percentileOf(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
}

/** The stage in which most of the time of these turns went, and its share of that time. */
export function slowestStageOf(
  turns: readonly TurnLatency[],
): { readonly stage: TurnStage; readonly share: number } | undefined {
  const total = turns.reduce((sum, { ms }) => sum + ms, 0)
  const sums = new Map<TurnStage, number>()
  for (const { stages } of turns) {
    // Reports that an earlier version has stored have none.
    const known = (stages as TurnLatency['stages'] | undefined) ?? {}
    for (const [stage, ms] of Object.entries(known) as [TurnStage, number][])
      sums.set(stage, (sums.get(stage) ?? 0) + ms)
  }
  const [first] = [...sums].toSorted(([, one], [, other]) => other - one)
  return first && first[1] > 0 ? { stage: first[0], share: first[1] / total } : undefined
}
