import { describe, expect, it } from 'vitest'
import { concat, durationOf, level, silence, type SampleRate } from './frame.ts'
import { bytesOf, frameOf } from './g711.ts'
import { muLaw } from './format.ts'
import { checkKeys, keyDuration, keyIn, keysHeard, keysIn, keySound } from './keys.ts'
import { dtmf, sine, toneLevel } from './tone.ts'

const all = '0123456789*#ABCD'
const rates: readonly SampleRate[] = [8000, 16_000, 24_000]

describe('the sound of keys', () => {
  it.each(rates)('can be read back at %d Hz', (sampleRate) => {
    expect(keysIn(concat(keySound(all, sampleRate), sampleRate))).toBe(all)
    expect(keysIn(concat(keySound('112w2W2', sampleRate), sampleRate))).toBe('11222')
  })

  it('can be read back after it went through a telephone', () => {
    const sound = concat(keySound(all, 8000), 8000)
    expect(keysIn(frameOf(bytesOf(sound, muLaw), muLaw))).toBe(all)
  })

  it('has 100 ms of tone at -9 dBFS and 100 ms of silence per key, and half a second or a second per pause', () => {
    const [one, short, long] = keySound('1wW', 8000)
    const tone = { samples: one!.samples.subarray(0, 800), sampleRate: 8000 } as const
    expect(toneLevel(tone, 697)).toBeCloseTo(-9, 0)
    expect(toneLevel(tone, 1209)).toBeCloseTo(-9, 0)
    expect(one!.samples.subarray(800)).toEqual(silence(100, 8000).samples)
    expect(Math.max(...one!.samples)).toBeLessThan(32_767)
    expect([one, short, long].map((frame) => durationOf(frame!))).toEqual([200, 500, 1_000])
    expect(level(short!.samples)).toBeLessThan(-90)
    expect(keyDuration('1wW')).toBe(1_700)
  })

  it.each([
    ['', /such as '1w2#'/],
    [12 as never, /such as '1w2#'; they are 12/],
    ['1-2', /no key '-'/],
    ['1a', /no key 'a'/],
    ['1'.repeat(33), /at most 32 keys and pauses can be pressed at once, not 33/],
  ])('does not exist for %j', (keys, message) => {
    const refusal = expect.objectContaining({ code: 'BAD_DTMF_KEY', message: expect.stringMatching(message) })
    expect(() => checkKeys(keys)).toThrow(refusal)
    expect(() => keySound(keys, 8000)).toThrow(refusal)
  })
})

describe('the keys that were heard', () => {
  it.each([
    [0, ''],
    [39, ''],
    [40, '1'],
    [200, '1'],
    [699, '1'],
    [700, '1w'],
    [740, '1w2'],
    [900, '1w2'],
  ])('in %d ms of 1w2 are %j', (ms, keys) => {
    expect(keysHeard('1w2', ms)).toBe(keys)
  })
})

describe('the key in a frame', () => {
  const tone = dtmf('5', { sampleRate: 8000, duration: 20, peak: -30 })

  it('is recognised although it is faint, and although something else is heard with it', () => {
    expect(keyIn(tone)).toBe('5')
    const hum = sine(150, { sampleRate: 8000, duration: 20, peak: -30 })
    const both = tone.samples.map((sample, index) => sample + hum.samples[index]!)
    expect(keyIn({ samples: both, sampleRate: 8000 })).toBe('5')
  })

  it('is none if something else is louder', () => {
    const hum = sine(150, { sampleRate: 8000, duration: 20, peak: -24 })
    const both = tone.samples.map((sample, index) => sample + hum.samples[index]!)
    expect(keyIn({ samples: both, sampleRate: 8000 })).toBeUndefined()
  })

  it('is none in silence, in a single tone, and in speech', () => {
    expect(keyIn(silence(20, 8000))).toBeUndefined()
    expect(keyIn(silence(0, 8000))).toBeUndefined()
    expect(keyIn(sine(697, { sampleRate: 8000, duration: 20 }))).toBeUndefined()
    // A vowel: many harmonics of 120 Hz.
    const harmonics = Array.from({ length: 20 }, (_, index) =>
      sine(120 * (index + 1), { sampleRate: 8000, duration: 200, peak: -20 - index }),
    )
    const vowel = silence(200, 8000).samples.map((_, at) =>
      harmonics.reduce((sum, { samples }) => sum + samples[at]!, 0),
    )
    expect(keysIn({ samples: vowel, sampleRate: 8000 })).toBe('')
  })
})
