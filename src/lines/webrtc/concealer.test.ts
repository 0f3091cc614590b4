import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sine } from '../../audio/index.ts'
import { Concealer } from './concealer.ts'

const RATE = 16_000
const PER_MS = 16

/** The largest step between two samples. */
const steepest = (samples: Int16Array): number =>
  samples.reduce(
    (most, sample, i) => (i === 0 ? most : Math.max(most, Math.abs(sample - samples[i - 1]!))),
    0,
  )
const peak = (samples: Int16Array): number =>
  samples.reduce((most, each) => Math.max(most, Math.abs(each)), 0)
const joined = (parts: readonly Int16Array[]): Int16Array =>
  Int16Array.from(parts.flatMap((each) => [...each]))

describe('concealed sound', () => {
  it.each([73, 115, 207, 333])(
    '[WR2] goes on with a tone of %i Hz, without a click on either side',
    (frequency) => {
      const { samples } = sine(frequency, { sampleRate: RATE, duration: 200 })
      // 10 ms each.
      const frame = (index: number): Int16Array => samples.subarray(index * 160, (index + 1) * 160)
      const concealer = new Concealer(RATE)
      const before = Array.from({ length: 8 }, (_, index) => concealer.add(frame(index)))
      const made = concealer.conceal(320)
      const after = [10, 11].map((index) => concealer.add(frame(index)))
      const all = joined([...before, made, ...after])
      expect(all).toHaveLength(12 * 160)
      expect(steepest(all)).toBeLessThan(1.2 * steepest(samples))
      expect(peak(made)).toBeGreaterThan(0.7 * peak(samples))
      // What has arrived is heard as it is, but for the first 5 ms.
      expect(after[0]!.subarray(5 * PER_MS)).toEqual(frame(10).subarray(5 * PER_MS))
      expect(after[1]).toEqual(frame(11))
    },
  )

  it('[WR2] has the length that is asked for, is never louder than the sound before it, and fades out within 60 ms', () => {
    const sounds = fc.array(fc.int16Array({ minLength: 0, maxLength: 640 }), { maxLength: 6 })
    const losses = fc.array(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(sounds, losses, (before, lengths) => {
        const concealer = new Concealer(RATE)
        const loudest = Math.max(0, ...before.map((each) => peak(concealer.add(each))))
        const made = lengths.map((length) => concealer.conceal(length))
        expect(made.map(({ length }) => length)).toEqual(lengths)
        expect(peak(joined(made))).toBeLessThanOrEqual(loudest)
        expect(peak(joined(made).subarray(60 * PER_MS))).toBe(0)
      }),
      { numRuns: 50 },
    )
  })

  it('[WR2] costs nothing while nothing is lost: sound is passed on as it is', () => {
    const { samples } = sine(200, { sampleRate: RATE, duration: 20 })
    expect(new Concealer(RATE).add(samples)).toBe(samples)
  })
})
