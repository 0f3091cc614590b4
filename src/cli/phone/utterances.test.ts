import { describe, expect, it } from 'vitest'
import { concat, durationOf, silence, sine } from '../../audio/index.ts'
import { utterancesOf } from './utterances.ts'

const rate = 8000
const tone = (duration: number) => sine(300, { sampleRate: rate, duration })
const recording = (...parts: readonly number[]) =>
  concat(
    parts.map((ms) => (ms < 0 ? silence(-ms, rate) : tone(ms))),
    rate,
  )

describe('the utterances of a recording', () => {
  it('are separated by long pauses, and not by short ones', () => {
    const utterances = utterancesOf(recording(-700, 600, -200, 300, -500, 400, -900))
    expect(utterances.map(durationOf)).toEqual([1_100, 400])
  })

  it('are one if it has no pause, and none if it is silent', () => {
    expect(utterancesOf(recording(1_000)).map(durationOf)).toEqual([1_000])
    expect(utterancesOf(recording(-1_000))).toEqual([])
  })
})
