import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SoundReader, soundOf } from './sound-text.ts'

describe('text as sound', () => {
  it('is read back, wherever the sound is cut', () => {
    const cuts = fc.array(fc.nat(20), { maxLength: 40 })
    fc.assert(
      fc.property(fc.string({ maxLength: 8 }), cuts, (text, sizes) => {
        const { samples } = soundOf(text, 8_000, 1)
        const reader = new SoundReader()
        let [read, at] = ['', 0]
        for (const size of sizes) read += reader.push(samples.subarray(at, (at += size)))
        expect(read + reader.push(samples.subarray(at))).toBe(text)
      }),
    )
  })

  it('has no character that was cut off', () => {
    const { samples } = soundOf('no', 8_000, 1)
    expect(new SoundReader().push(samples.subarray(0, -1))).toBe('n')
  })
})
