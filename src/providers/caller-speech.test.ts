import { describe, expect, it } from 'vitest'
import { silence, type AudioFrame } from '../audio/index.ts'
import { CallerSpeech } from './caller-speech.ts'

const tone = (amplitude: number): AudioFrame => ({
  samples: Int16Array.from({ length: 320 }, (_, n) => amplitude * Math.sin(n / 5)),
  sampleRate: 16_000,
})

/** Passes 20 ms frames on and returns how often speech was noticed. */
function hear(speech: CallerSpeech, ms: number, frame: (at: number) => AudioFrame): number {
  let times = 0
  for (let at = 0; at < ms; at += 20) if (speech.push(frame(at))) times++
  return times
}

describe("the caller's speech", () => {
  it('is noticed after a second of it, with pauses between words', () => {
    const speech = new CallerSpeech()
    const words = (at: number): AudioFrame => (at % 500 < 350 ? tone(8_000) : silence(20, 16_000))
    expect(hear(speech, 900, words)).toBe(0)
    expect(hear(speech, 900, words)).toBe(1)
    expect(hear(speech, 15_000, words)).toBeGreaterThan(8)
  })

  it('is noticed above noise', () => {
    const speech = new CallerSpeech()
    hear(speech, 20_000, () => tone(400))
    expect(hear(speech, 3_000, (at) => (at % 500 < 350 ? tone(8_000) : tone(400)))).toBeGreaterThan(0)
  })

  it.each<[what: string, frame: (at: number) => AudioFrame]>([
    ['silence', () => silence(20, 16_000)],
    ['quiet noise', () => tone(80)],
    ['a click now and then', (at) => (at % 2_000 < 100 ? tone(20_000) : silence(20, 16_000))],
  ])('is not %s', (_, frame) => {
    expect(hear(new CallerSpeech(), 60_000, frame)).toBe(0)
  })

  it('is not steady noise, however loud, once it has lasted for a while', () => {
    const speech = new CallerSpeech()
    hear(speech, 10_000, () => tone(16_000))
    expect(hear(speech, 60_000, () => tone(16_000))).toBe(0)
  })
})
