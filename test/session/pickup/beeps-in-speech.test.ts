import { describe, expect, it } from 'vitest'
import {
  BeepDetector,
  Resampler,
  bytesOf,
  concat,
  frameOf,
  muLaw,
  silence,
  sine,
  type AudioFrame,
  type HeardTone,
} from '../../../src/audio/index.ts'
import { clips } from '../../fixtures/speech.ts'

/** Everything that is recognised in a sound that went through a telephone. */
function heardIn(sound: AudioFrame): HeardTone[] {
  const { samples } = frameOf(bytesOf(sound, muLaw), muLaw)
  const detector = new BeepDetector(8_000)
  const heard: HeardTone[] = []
  for (let at = 0; at < samples.length; at += 160) {
    const tone = detector.push({ samples: samples.subarray(at, at + 160), sampleRate: 8_000 })
    if (tone) heard.push(tone)
  }
  return heard
}

/** All recordings, at the rate of a telephone. */
const voices = clips.map(({ samples }): AudioFrame => {
  const resampled = new Resampler({ from: 16_000, to: 8_000 }).push(samples)
  return { samples: resampled, sampleRate: 8_000 }
})

describe('a beep detector, with the recordings of four voices', () => {
  it('[MD4] hears a beep right after speech', () => {
    const beep = sine(850, { sampleRate: 8_000, duration: 350, peak: -12 })
    const end = [silence(150, 8_000), beep, silence(300, 8_000)]
    const hits = voices.filter((voice) => heardIn(concat([voice, ...end], 8_000)).length === 1)
    expect(hits).toHaveLength(voices.length)
  })

  it('[MD4] takes no speech for a beep, whatever its pitch', () => {
    const talk = concat(voices, 8_000)
    // From the pitch of a low voice to that of a child.
    const alarms = [0.7, 0.8, 0.9, 1, 1.15, 1.3, 1.5, 1.8].flatMap((rate) => {
      const length = Math.floor(talk.samples.length / rate)
      const samples = Int16Array.from({ length }, (_, i) => talk.samples[Math.floor(i * rate)]!)
      return heardIn({ samples, sampleRate: 8_000 })
    })
    expect(alarms).toEqual([])
  })
})
