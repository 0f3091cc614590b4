import { describe, expect, it } from 'vitest'
import { Capture, type CaptureNews } from './capture-worklet.ts'

/** What comes of a sine at one rate, captured for another, in quanta of 128. */
function capture(from: number, to: number, frequency: number, level = 0.5): CaptureNews[] {
  const news: CaptureNews[] = []
  const each = new Capture(from, to, (one) => news.push(one))
  const samples = Float32Array.from(
    { length: from },
    (_, i) => level * Math.sin((2 * Math.PI * frequency * i) / from),
  )
  for (let at = 0; at < samples.length; at += 128) each.push(samples.subarray(at, at + 128))
  return news
}

const framesOf = (news: readonly CaptureNews[]): Int16Array[] =>
  news.flatMap((one) => (one.type === 'frame' ? [one.samples] : []))

/** How loud a frequency is in the middle of the sound, 0 to 1. */
function loudness(news: readonly CaptureNews[], rate: number, frequency: number): number {
  const all = framesOf(news).flatMap((frame) => [...frame])
  const middle = all.slice(rate / 4, (rate * 3) / 4)
  let [sin, cos] = [0, 0]
  for (const [i, sample] of middle.entries()) {
    const angle = (2 * Math.PI * frequency * i) / rate
    sin += sample * Math.sin(angle)
    cos += sample * Math.cos(angle)
  }
  return (2 * Math.hypot(sin, cos)) / middle.length / 32768
}

describe('a microphone', () => {
  it('gives frames of 20 ms, sample for sample where the rates are the same', () => {
    const frames = framesOf(capture(16_000, 16_000, 440))
    expect(frames).toHaveLength(50)
    expect(new Set(frames.map(({ length }) => length))).toEqual(new Set([320]))
    const [first] = frames
    expect(first![10]).toBe(Math.round(0.5 * Math.sin((2 * Math.PI * 440 * 10) / 16_000) * 32768))
  })

  it.each([
    [48_000, 16_000],
    [44_100, 16_000],
    [44_100, 48_000],
    [16_000, 24_000],
  ])('changes %i to %i without changing what is heard', (from, to) => {
    const news = capture(from, to, 1_000)
    expect(framesOf(news).length).toBeGreaterThanOrEqual(49)
    expect(loudness(news, to, 1_000)).toBeCloseTo(0.5, 2)
  })

  it('takes away what the lower rate cannot hold', () => {
    // It would be heard as 4 kHz.
    expect(loudness(capture(48_000, 16_000, 12_000), 16_000, 4_000)).toBeLessThan(0.002)
  })

  it('does not wrap around when it is too loud', () => {
    const all = framesOf(capture(16_000, 16_000, 100, 2)).flatMap((frame) => [...frame])
    expect(Math.max(...all)).toBe(32767)
    expect(Math.min(...all)).toBe(-32768)
  })

  it('says how loud it is, also when its frames are given away', () => {
    const levels: number[] = []
    const given = new Capture(16_000, 16_000, (news) => {
      if (news.type === 'level') levels.push(news.level)
      else structuredClone(news.samples, { transfer: [news.samples.buffer] })
    })
    given.push(new Float32Array(16_000).fill(0.5))
    expect(levels).toEqual(Array.from({ length: 10 }, () => 0.5))
  })
})
