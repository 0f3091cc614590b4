import { describe, expect, it } from 'vitest'
import { Capture, type CaptureEvent } from './capture-worklet.ts'

/** Captures a sine at one sample rate for a line with another, in quanta of 128. */
function capture(from: number, to: number, frequency: number, level = 0.5): CaptureEvent[] {
  const events: CaptureEvent[] = []
  const each = new Capture(from, to, (event) => events.push(event))
  const samples = Float32Array.from(
    { length: from },
    (_, i) => level * Math.sin((2 * Math.PI * frequency * i) / from),
  )
  for (let at = 0; at < samples.length; at += 128) each.push(samples.subarray(at, at + 128))
  return events
}

const framesOf = (events: readonly CaptureEvent[]): Int16Array[] =>
  events.flatMap((event) => (event.type === 'frame' ? [event.samples] : []))

/** The level of a frequency in the middle of the sound, 0 to 1. */
function loudness(events: readonly CaptureEvent[], rate: number, frequency: number): number {
  const all = framesOf(events).flatMap((frame) => [...frame])
  const middle = all.slice(rate / 4, (rate * 3) / 4)
  let [sin, cos] = [0, 0]
  for (const [i, sample] of middle.entries()) {
    const angle = (2 * Math.PI * frequency * i) / rate
    sin += sample * Math.sin(angle)
    cos += sample * Math.cos(angle)
  }
  return (2 * Math.hypot(sin, cos)) / middle.length / 32768
}

describe('a capture', () => {
  it('emits frames of 20 ms, sample for sample if the rates are the same', () => {
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
  ])('resamples %i to %i Hz without changing the sound', (from, to) => {
    const events = capture(from, to, 1_000)
    expect(framesOf(events).length).toBeGreaterThanOrEqual(49)
    expect(loudness(events, to, 1_000)).toBeCloseTo(0.5, 2)
  })

  it('removes frequencies that the lower rate cannot represent', () => {
    // 12 kHz would alias to 4 kHz.
    expect(loudness(capture(48_000, 16_000, 12_000), 16_000, 4_000)).toBeLessThan(0.002)
  })

  it('clips sound that is too loud, without wrapping around', () => {
    const all = framesOf(capture(16_000, 16_000, 100, 2)).flatMap((frame) => [...frame])
    expect(Math.max(...all)).toBe(32767)
    expect(Math.min(...all)).toBe(-32768)
  })

  it('emits its level, also if its frames are transferred', () => {
    const levels: number[] = []
    const given = new Capture(16_000, 16_000, (event) => {
      if (event.type === 'level') levels.push(event.level)
      else structuredClone(event.samples, { transfer: [event.samples.buffer] })
    })
    given.push(new Float32Array(16_000).fill(0.5))
    expect(levels).toEqual(Array.from({ length: 10 }, () => 0.5))
  })
})
