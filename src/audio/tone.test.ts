import { describe, expect, it } from 'vitest'
import { durationOf, level, silence, silentLevel } from './frame.ts'
import { dtmf, dtmfFrequencies, sine, toneLevel } from './tone.ts'

const short = { sampleRate: 8000, duration: 100 } as const

describe('a sine', () => {
  it('has the requested length, level and frequency', () => {
    const tone = sine(1000, { ...short, peak: -20 })
    expect(durationOf(tone)).toBe(100)
    expect(level(tone.samples)).toBeCloseTo(-23.01, 1)
    expect(toneLevel(tone, 1000)).toBeCloseTo(-20, 1)
    expect(toneLevel(tone, 1100)).toBeLessThan(-90)
  })

  it('starts at zero, rises, and by default peaks at half of full scale', () => {
    const { samples } = sine(1000, short)
    expect([...samples.subarray(0, 3)]).toEqual([0, 11612, 16422])
  })

  it('is clipped, without wrapping around, if its peak is above full scale', () => {
    const { samples } = sine(1000, { ...short, peak: 6 })
    expect([...samples.subarray(0, 4)]).toEqual([0, 32767, 32767, 32767])
  })
})

describe('the tone of a key', () => {
  const keypad = [
    ['1', 697, 1209],
    ['2', 697, 1336],
    ['3', 697, 1477],
    ['A', 697, 1633],
    ['4', 770, 1209],
    ['5', 770, 1336],
    ['6', 770, 1477],
    ['B', 770, 1633],
    ['7', 852, 1209],
    ['8', 852, 1336],
    ['9', 852, 1477],
    ['C', 852, 1633],
    ['*', 941, 1209],
    ['0', 941, 1336],
    ['#', 941, 1477],
    ['D', 941, 1633],
  ] as const

  it.each(keypad)('%s is %d and %d Hz', (key, row, column) => {
    expect(dtmfFrequencies(key)).toEqual([row, column])
    const tone = dtmf(key, { sampleRate: 8000, duration: 1000 })
    expect(toneLevel(tone, row)).toBeCloseTo(-12, 1)
    expect(toneLevel(tone, column)).toBeCloseTo(-12, 1)
  })

  it.each(['', '12', 'E', 'a'])('does not exist for %j', (key) => {
    expect(() => dtmf(key, short)).toThrow(expect.objectContaining({ code: 'BAD_DTMF_KEY' }))
  })
})

describe('the level of a tone', () => {
  it('is the level of silence if there is no tone', () => {
    expect(toneLevel(silence(100, 8000), 1000)).toBe(silentLevel)
    expect(toneLevel(silence(0, 8000), 1000)).toBe(silentLevel)
  })
})
