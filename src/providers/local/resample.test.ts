import { describe, expect, it } from 'vitest'
import { level } from '../../audio/index.ts'
import { resample } from './resample.ts'

describe('resampled audio', () => {
  it.each([
    [22_050, 300],
    [22_050, 3_000],
    [8_000, 1_000],
    [48_000, 1_000],
  ])('from a rate of %d Hz keeps a tone of %d Hz', (from, hz) => {
    const tone = Int16Array.from({ length: from }, (_, index) =>
      Math.round(10_000 * Math.sin((2 * Math.PI * hz * index) / from)),
    )
    const actual = resample(tone, from, 16_000)
    const expected = Int16Array.from({ length: 16_000 }, (_, index) =>
      Math.round(10_000 * Math.sin((2 * Math.PI * hz * index) / 16_000)),
    )
    expect(actual).toHaveLength(16_000)
    const error = actual.slice(200, -200).map((sample, index) => sample - expected[index + 200]!)
    expect(level(error)).toBeLessThan(level(expected) - 35)
  })

  it('loses frequencies above half its rate', () => {
    const tone = Int16Array.from({ length: 22_050 }, (_, index) =>
      Math.round(10_000 * Math.sin((2 * Math.PI * 10_000 * index) / 22_050)),
    )
    expect(level(resample(tone, 22_050, 16_000))).toBeLessThan(level(tone) - 40)
  })
})
