import type { TurnLatency, TurnReport, TurnStage } from '../../../src/session/index.ts'
import { stageTexts } from './stage-texts.ts'

/** All stages, in order. */
const stageNames = Object.keys(stageTexts) as readonly TurnStage[]

/** How long a caller waits without noticing, and how long without minding, in milliseconds. */
export const thresholds = { good: 1_000, fair: 2_000 } as const

export type Pace = 'good' | 'fair' | 'slow'

export const paceOf = (ms: number): Pace =>
  ms <= thresholds.good ? 'good' : ms <= thresholds.fair ? 'fair' : 'slow'

/** Signs besides the colours, for those who cannot tell them apart. */
export const paceSigns: Readonly<Record<Pace, { readonly sign: string; readonly word: string }>> = {
  good: { sign: '●', word: 'fast' },
  fair: { sign: '▲', word: 'noticeable' },
  slow: { sign: '■', word: 'slow' },
}

/** The stages that a turn had, in order. Reports that an earlier version has stored have none. */
export function stagesOf({ stages }: TurnLatency): readonly (readonly [TurnStage, number])[] {
  const known = stages as Partial<TurnLatency['stages']> | undefined
  return stageNames.flatMap((stage) => {
    const ms = known?.[stage]
    return ms === undefined ? [] : [[stage, ms] as const]
  })
}

/** The smallest value that is not less than the given share of all values. */
export function percentileOf(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
}

/** The stage in which most of the time of these turns went, and its share of that time. */
export function slowestOf(
  turns: readonly TurnLatency[],
): { readonly stage: TurnStage; readonly share: number } | undefined {
  const total = turns.reduce((sum, { ms }) => sum + ms, 0)
  const sums = new Map<TurnStage, number>()
  for (const turn of turns)
    for (const [stage, ms] of stagesOf(turn)) sums.set(stage, (sums.get(stage) ?? 0) + ms)
  const [first] = [...sums].toSorted(([, one], [, other]) => other - one)
  return first && first[1] > 0 ? { stage: first[0], share: first[1] / total } : undefined
}

/** The turns of a report, as events have them. */
export const latenciesOf = (turns: readonly TurnReport[]): TurnLatency[] =>
  turns.map(({ latency: ms, stages, heard, by }) => ({ ms, stages, heard, by }))
