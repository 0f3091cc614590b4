import { describe, expect, it } from 'vitest'
import { SpeechGate } from './speech-gate.ts'

/** The changes for probabilities of windows of 32 ms each, with the window in which they were noticed. */
function changesOf(probabilities: readonly number[], options = {}): string[] {
  const gate = new SpeechGate(options)
  return probabilities.flatMap((probability, index) => {
    const change = gate.push(probability, 32)
    return change ? [`${index}: ${change.what} ${change.ago} ms ago`] : []
  })
}

const times = (count: number, probability: number): number[] =>
  Array.from({ length: count }, () => probability)

describe('a speech gate', () => {
  it('starts after minSpeech and stops after hangover', () => {
    expect(changesOf([...times(5, 0), ...times(10, 1), ...times(20, 0)])).toEqual([
      '6: started 64 ms ago',
      '27: stopped 416 ms ago',
    ])
    const options = { minSpeech: 10, hangover: 30 }
    expect(changesOf([...times(5, 0), 1, ...times(5, 0)], options)).toEqual([
      '5: started 32 ms ago',
      '6: stopped 32 ms ago',
    ])
  })

  it('ignores a click, and a pause within speech', () => {
    expect(changesOf([...times(5, 0), 0.9, ...times(20, 0)])).toEqual([])
    expect(changesOf([...times(10, 1), ...times(10, 0), ...times(10, 1)])).toEqual(['1: started 64 ms ago'])
  })

  it('continues with a probability a little below the threshold', () => {
    expect(changesOf([...times(5, 1), ...times(30, 0.4)])).toEqual(['1: started 64 ms ago'])
    expect(changesOf(times(30, 0.4))).toEqual([])
    expect(changesOf(times(30, 0.4), { threshold: 0.3 })).toEqual(['2: started 64 ms ago'])
  })
})
