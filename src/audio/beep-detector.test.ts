import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BeepDetector, type HeardTone } from './beep-detector.ts'
import { muLaw } from './format.ts'
import { concat, silence, type AudioFrame } from './frame.ts'
import { bytesOf, frameOf } from './g711.ts'
import { keySound } from './keys.ts'
import { sine } from './tone.ts'

/** Everything that is recognised in a sound that arrives in frames of 20 ms. */
function heardIn(sound: AudioFrame): HeardTone[] {
  const detector = new BeepDetector(sound.sampleRate)
  const length = sound.sampleRate / 50
  const heard: HeardTone[] = []
  for (let at = 0; at < sound.samples.length; at += length) {
    const tone = detector.push({ ...sound, samples: sound.samples.subarray(at, at + length) })
    if (tone) heard.push(tone)
  }
  return heard
}

const telephone = (sound: AudioFrame): AudioFrame => frameOf(bytesOf(sound, muLaw), muLaw)

function mixed(one: AudioFrame, other: Int16Array, gain: number): AudioFrame {
  const samples = one.samples.map((each, i) =>
    Math.max(-32_768, Math.min(32_767, each + Math.round((other[i % other.length] ?? 0) * gain))),
  )
  return { samples, sampleRate: one.sampleRate }
}

/** White noise from a seed. */
function noise(length: number, seed: number): Int16Array {
  let state = seed | 1
  return Int16Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return state >> 16
  })
}

describe('a beep detector', () => {
  it.each([8_000, 16_000, 24_000, 48_000] as const)('hears a beep at %d Hz, after its end', (sampleRate) => {
    const beep = sine(1_000, { sampleRate, duration: 500 })
    const sound = concat([silence(300, sampleRate), beep, silence(300, sampleRate)], sampleRate)
    expect(heardIn(sound)).toMatchObject([{ type: 'beep' }])
    const [{ hz, ms }] = heardIn(sound) as [HeardTone]
    expect(hz).toBeGreaterThan(990)
    expect(hz).toBeLessThan(1_010)
    expect(ms).toBeGreaterThan(400)
    expect(ms).toBeLessThanOrEqual(520)
    expect(heardIn(concat([silence(300, sampleRate), beep], sampleRate))).toEqual([])
  })

  it('[MD4] hears every beep of 400 to 2,500 Hz and 0.2 to 1.5 s through a telephone with noise', () => {
    const beeps = fc.record({
      hz: fc.integer({ min: 400, max: 2_500 }),
      duration: fc.integer({ min: 200, max: 1_500 }),
      peak: fc.integer({ min: -26, max: -3 }),
      /** Noise, in dB below the beep. */
      below: fc.integer({ min: 22, max: 60 }),
      offset: fc.integer({ min: 0, max: 200 }),
      seed: fc.integer(),
    })
    let [hits, all] = [0, 0]
    fc.assert(
      fc.property(beeps, ({ hz, duration, peak, below, offset, seed }) => {
        const before = { samples: new Int16Array(1_600 + offset), sampleRate: 8_000 as const }
        const beep = sine(hz, { sampleRate: 8_000, duration, peak })
        const clean = concat([before, beep, silence(400, 8_000)], 8_000)
        // The noise has a mean square of a third of its peak's.
        const gain = 10 ** ((peak - below) / 20) * Math.sqrt(1.5)
        const heard = heardIn(telephone(mixed(clean, noise(clean.samples.length, seed), gain)))
        all++
        if (heard.length === 1 && heard[0]!.type === 'beep' && Math.abs(heard[0]!.hz - hz) < 25) hits++
      }),
      { numRuns: 300 },
    )
    expect(hits / all).toBeGreaterThanOrEqual(0.99)
  })

  it('[MD4] takes neither music nor keys nor noise for a beep', () => {
    expect(heardIn(telephone(concat(keySound('0123456789*#ABCD1w2W3', 8_000), 8_000)))).toEqual([])
    expect(heardIn(telephone({ samples: noise(80_000, 7), sampleRate: 8_000 }))).toEqual([])
    for (const overtones of [0.5, 0.25, 0]) {
      const melody = [523, 587, 659, 698, 784, 880, 988, 1_047].map((hz) => note(hz, 300, overtones))
      expect(heardIn(telephone(concat([...melody, ...melody], 8_000)))).toEqual([])
    }
    // Notes that fade, with rests.
    const plucked = [440, 660, 880].flatMap((hz) => [note(hz, 400, 0, 4), silence(200, 8_000)])
    expect(heardIn(telephone(concat(plucked, 8_000)))).toEqual([])
    // Notes of an organ, with rests, and the busy signal of America.
    const organ = [440, 660, 880].flatMap((hz) => [note(hz, 400, 0.4), silence(200, 8_000)])
    expect(heardIn(telephone(concat(organ, 8_000)))).toEqual([])
    const busy = mixed(note(480, 500, 0), note(620, 500, 0).samples, 1)
    expect(heardIn(telephone(concat([busy, silence(500, 8_000), busy, silence(500, 8_000)], 8_000)))).toEqual(
      [],
    )
    // Two tones, one 9 dB quieter than the other.
    const chord = mixed(note(1_000, 500, 0), note(1_090, 500, 0).samples, 0.35)
    expect(heardIn(telephone(concat([chord, silence(500, 8_000)], 8_000)))).toEqual([])
    // The tones before an announcement of the network.
    const special = [950, 1_400, 1_800].map((hz) => sine(hz, { sampleRate: 8_000, duration: 330 }))
    expect(heardIn(telephone(concat([...special, silence(500, 8_000)], 8_000)))).toEqual([])
  })

  it('[MD4] takes a tone that is too short or too long for none', () => {
    for (const duration of [60, 100, 2_000, 5_000]) {
      const tone = sine(1_000, { sampleRate: 8_000, duration })
      expect(heardIn(concat([silence(100, 8_000), tone, silence(300, 8_000)], 8_000))).toEqual([])
    }
  })

  it('[MD4] hears a fax machine before its tone ends', () => {
    const tone = sine(2_100, { sampleRate: 8_000, duration: 3_000 })
    expect(heardIn(telephone(tone))).toMatchObject([{ type: 'fax', hz: 2_100 }])
  })
})

/** A note with a second and a third partial, which fades by `fade` in powers of e per second. */
function note(hz: number, ms: number, overtones: number, fade = 0): AudioFrame {
  const samples = Int16Array.from({ length: ms * 8 }, (_, i) => {
    const turn = (2 * Math.PI * hz * i) / 8_000
    const sound = Math.sin(turn) + overtones * Math.sin(2 * turn) + overtones * 0.5 * Math.sin(3 * turn)
    return 9_000 * Math.exp((-fade * i) / 8_000) * sound
  })
  return { samples, sampleRate: 8_000 }
}
