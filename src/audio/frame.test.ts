import { describe, expect, it } from 'vitest'
import { asSampleRate, concat, durationOf, level, rms, samplesIn, silence, silentLevel } from './frame.ts'

describe('a frame', () => {
  it('lasts as long as its samples take at its rate', () => {
    expect(durationOf({ samples: new Int16Array(160), sampleRate: 8000 })).toBe(20)
    expect(durationOf({ samples: new Int16Array(960), sampleRate: 48000 })).toBe(20)
    expect(durationOf({ samples: new Int16Array(1), sampleRate: 16000 })).toBe(0.0625)
  })

  it('of silence has the requested length and only zeros', () => {
    const quiet = silence(20, 24000)
    expect(quiet.samples).toEqual(new Int16Array(480))
    expect(quiet.sampleRate).toBe(24000)
  })

  it('has a duration that is rounded to the nearest sample', () => {
    expect(samplesIn(0.06, 8000)).toBe(0)
    expect(samplesIn(0.07, 8000)).toBe(1)
  })

  it.each([-1, Number.NaN, Infinity])('cannot last %d ms', (ms) => {
    expect(() => silence(ms, 8000)).toThrow(expect.objectContaining({ code: 'BAD_DURATION' }))
  })
})

describe('a sample rate from outside', () => {
  it('is accepted if it is supported', () => {
    expect(asSampleRate(24000)).toBe(24000)
  })

  it('is refused otherwise, with an error that lists the supported ones', () => {
    expect(() => asSampleRate(44100)).toThrow(
      expect.objectContaining({
        code: 'BAD_SAMPLE_RATE',
        message: 'cannot work with 44100 samples per second: use one of 8000, 16000, 24000, 48000',
      }),
    )
  })
})

describe('concat', () => {
  it('joins frames in order', () => {
    const frames = [[1, 2, 3], [], [4]].map((each) => ({
      samples: Int16Array.from(each),
      sampleRate: 8000 as const,
    }))
    expect(concat(frames, 8000)).toEqual({ samples: Int16Array.of(1, 2, 3, 4), sampleRate: 8000 })
  })

  it('makes an empty sound from no frames', () => {
    expect(concat([], 16000)).toEqual({ samples: new Int16Array(0), sampleRate: 16000 })
  })

  it('refuses a frame with another rate', () => {
    expect(() => concat([silence(20, 8000), silence(20, 16000)], 8000)).toThrow(
      expect.objectContaining({ code: 'MIXED_SAMPLE_RATES' }),
    )
  })
})

describe('the level of a sound', () => {
  it('is 0 dBFS for a full-scale square wave and 6 dB less for half of it', () => {
    expect(rms(Int16Array.of(-32768, -32768))).toBe(1)
    expect(level(Int16Array.of(-32768, 32767))).toBeCloseTo(0, 3)
    expect(level(Int16Array.of(16384, -16384))).toBeCloseTo(-6.02, 2)
  })

  it('is finite for silence and for no samples', () => {
    expect(level(new Int16Array(160))).toBe(silentLevel)
    expect(level(new Int16Array(0))).toBe(silentLevel)
  })
})
