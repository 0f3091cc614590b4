import { describe, expect, it } from 'vitest'
import { turnStages, type TurnLatency } from '../../src/session/index.ts'
import { percentileOf, slowestStageOf } from '../../src/host/wire/index.ts'
import { latenciesOf, paceOf, stagesOf, thresholds } from '../../studio/src/live/latency-figures.ts'
import { stageTexts } from '../../studio/src/live/stage-texts.ts'

const turn = (stages: TurnLatency['stages']): TurnLatency => ({
  ms: Object.values(stages).reduce((sum, ms) => sum + ms, 0),
  stages,
  heard: 'confirmed',
  by: 'reply',
})

describe('the latency of turns in the page', () => {
  it('[LT1] has the stages of a turn in the order in which they happen', () => {
    expect(Object.keys(stageTexts)).toEqual([...turnStages])
    expect(stagesOf(turn({ playout: 5, model: 300, endpointing: 200 }))).toEqual([
      { stage: 'endpointing', from: 0, ms: 200 },
      { stage: 'model', from: 200, ms: 300 },
      { stage: 'playout', from: 500, ms: 5 },
    ])
  })

  it('has the 50th and the 95th percentile of what was measured', () => {
    const values = Array.from({ length: 20 }, (_, index) => (index + 1) * 100)
    expect([percentileOf(values, 0.5), percentileOf(values, 0.95)]).toEqual([1_000, 1_900])
    expect([percentileOf([7], 0.5), percentileOf([7], 0.95), percentileOf([], 0.5)]).toEqual([
      7,
      7,
      undefined,
    ])
  })

  it('names the stage in which most of the time went', () => {
    const turns = [turn({ model: 300, voice: 100 }), turn({ model: 100, tools: 500 })]
    expect(slowestStageOf(turns)).toEqual({ stage: 'tools', share: 0.5 })
    expect(slowestStageOf([turn({ model: 0 })])).toBeUndefined()
    expect(slowestStageOf([])).toBeUndefined()
  })

  it('tells by thresholds how fast an answer was', () => {
    const { fast, noticeable } = thresholds
    expect([0, fast, fast + 1, noticeable, noticeable + 1].map(paceOf)).toEqual([
      'fast',
      'fast',
      'noticeable',
      'noticeable',
      'slow',
    ])
  })

  it('shows turns of reports that have no stages yet', () => {
    const [stored] = latenciesOf([{ latency: 420, at: 1_000 } as Parameters<typeof latenciesOf>[0][number]])
    expect(stored).toEqual({ ms: 420 })
    expect(stagesOf(stored!)).toEqual([])
  })
})
