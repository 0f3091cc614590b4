import { describe, expect, it } from 'vitest'
import type { TurnReport } from '../../session/index.ts'
import { endedLines, type EndedCall } from './ended-lines.ts'

const call: EndedCall = { id: 'c1', reason: 'caller-hung-up', clean: true, took: 36, turns: [] }

/** A turn whose time was spent in these stages. */
const turn = (latency: number, stages: Partial<TurnReport['stages']>): TurnReport =>
  ({ latency, stages }) as TurnReport

describe('the lines about a call that has ended', () => {
  it('[IN2] have how long the caller waited, and the stage that took most of the time', () => {
    const turns = [
      turn(650, { transcription: 450, voice: 200 }),
      turn(801, { transcription: 350, voice: 451 }),
    ]
    expect(endedLines({ ...call, turns })).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\d ended c1 · caller-hung-up · clean · 36 ms$/),
      '         answered after 801 ms in the median, 801 ms at most; most of it for transcription, 400 ms on average',
    ])
  })

  it('have what went wrong, and nothing about answers if there were none', () => {
    const error = { name: 'LinkError', message: 'no answer' }
    expect(endedLines({ ...call, clean: false, error })).toEqual([
      expect.stringMatching(/ended c1 · caller-hung-up · not clean · 36 ms · LinkError: no answer$/),
    ])
  })
})
