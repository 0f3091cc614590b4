import assert from 'node:assert/strict'
import { describe, expect, it } from 'vitest'
import { sine } from '../../audio/index.ts'
import { featuresOf } from './smart-turn-features.ts'

const tone = (duration: number): Int16Array => sine(440, { sampleRate: 16_000, duration }).samples

/** The loudest value of each 10 ms. */
const loudness = (features: Float32Array): number[] =>
  Array.from({ length: 800 }, (_, index) =>
    Math.max(...Array.from({ length: 80 }, (__, band) => features[band * 800 + index]!)),
  )

describe('the features of a turn', () => {
  it('have the turn at their end, after silence', () => {
    const heard = loudness(featuresOf(tone(1_000)))
    expect(Math.max(...heard.slice(0, 695))).toBeLessThan(0)
    expect(Math.min(...heard.slice(705))).toBeGreaterThan(1)
  })

  it('are those of its last 8 s', () => {
    const long = Int16Array.from({ length: 160_000 }, (_, n) => 9_000 * Math.sin(n * n * 1e-6))
    assert.deepEqual(featuresOf(long), featuresOf(long.slice(-128_000)))
  })

  it('do not depend on how loud it is', () => {
    const loud = featuresOf(tone(1_000))
    const quiet = featuresOf(tone(1_000).map((sample) => sample / 8))
    expect(Math.abs(Math.max(...loud) - Math.max(...quiet))).toBeLessThan(0.01)
  })
})
