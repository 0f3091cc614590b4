import type { TurnLatency, TurnReport, TurnStage } from '../../../src/session/index.ts'
import { stageTexts } from './stage-texts.ts'

/** All stages, in order. */
const stageNames = Object.keys(stageTexts) as readonly TurnStage[]

/** How long a caller waits without noticing, and how long without minding, in milliseconds. */
export const thresholds = { fast: 1_000, noticeable: 2_000 } as const

export type Pace = 'fast' | 'noticeable' | 'slow'

export const paceOf = (ms: number): Pace =>
  ms <= thresholds.fast ? 'fast' : ms <= thresholds.noticeable ? 'noticeable' : 'slow'

/** Signs besides the colours, for those who cannot tell them apart. */
export const paceSigns: Readonly<Record<Pace, string>> = { fast: '●', noticeable: '▲', slow: '■' }

/** A stage of a turn: when it began after the end of the caller's words, and how long it took. */
export interface StageSpan {
  readonly stage: TurnStage
  readonly from: number
  readonly ms: number
}

/** The stages that a turn had, in order. Reports that an earlier version has stored have none. */
export function stagesOf({ stages }: TurnLatency): readonly StageSpan[] {
  const known = stages as TurnLatency['stages'] | undefined
  const spans: StageSpan[] = []
  let from = 0
  for (const stage of stageNames) {
    const ms = known?.[stage]
    if (ms === undefined) continue
    spans.push({ stage, from, ms })
    from += ms
  }
  return spans
}

/** The turns of a report, as events have them. */
export const latenciesOf = (turns: readonly TurnReport[]): TurnLatency[] =>
  turns.map(({ latency: ms, stages, heard, by }) => ({ ms, stages, heard, by }))
