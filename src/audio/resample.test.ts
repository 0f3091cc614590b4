import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { filterFor } from './filter.ts'
import { concat, level, sampleRates, silence, type SampleRate } from './frame.ts'
import { Resampler } from './resample.ts'
import { sine, toneLevel } from './tone.ts'

const pairs = sampleRates.flatMap((from) =>
  sampleRates.filter((to) => to !== from).map((to) => ({ from, to })),
)
const lowerNyquist = ({ from, to }: Pair) => Math.min(from, to) / 2
type Pair = { from: SampleRate; to: SampleRate }

function resample(pair: Pair, samples: Int16Array): Int16Array {
  const resampler = new Resampler(pair)
  return join([resampler.push(samples), resampler.flush()])
}

function join(chunks: Int16Array[]): Int16Array {
  return concat(
    chunks.map((samples) => ({ samples, sampleRate: 8000 })),
    8000,
  ).samples
}

/** A resampled sine, without 100 ms at both ends: whole periods for every multiple of 10 Hz. */
function tone(hz: number, pair: Pair, peak: number): Int16Array {
  const { samples } = sine(hz, { sampleRate: pair.from, duration: 120, peak })
  const out = resample(pair, samples)
  return out.subarray(pair.to / 100, pair.to / 100 + pair.to / 10)
}

/** The residue after removing the best-fitting sine at `hz`: noise, images, aliases, distortion. */
function residue(samples: Int16Array, hz: number, rate: number): number {
  const turn = (2 * Math.PI * hz) / rate
  let inPhase = 0
  let quadrature = 0
  samples.forEach((sample, i) => {
    inPhase += (sample * Math.sin(turn * i) * 2) / samples.length
    quadrature += (sample * Math.cos(turn * i) * 2) / samples.length
  })
  let power = 0
  samples.forEach((sample, i) => {
    power += (sample - inPhase * Math.sin(turn * i) - quadrature * Math.cos(turn * i)) ** 2
  })
  return 10 * Math.log10(power / samples.length / 32768 ** 2)
}

/** Reproducible full-scale noise. */
function noise(length: number): Int16Array {
  let state = 1
  return Int16Array.from({ length }, () => (state = (Math.imul(state, 1664525) + 1013904223) | 0) >> 16)
}

/** Multiples of 10 Hz, about `count` of them. */
function grid(start: number, end: number, count: number): number[] {
  const step = Math.max(10, Math.round((end - start) / count / 10) * 10)
  const tones: number[] = []
  for (let hz = Math.ceil(start / 10) * 10; hz <= end; hz += step) tones.push(hz)
  return tones
}

describe.each(pairs)('from $from to $to Hz, a resampler', (pair) => {
  const { from, to } = pair
  const nyquist = lowerNyquist(pair)

  it('is flat within 0.09 dB up to 0.9 of the lower Nyquist frequency', () => {
    const ripple = [...grid(20, nyquist * 0.9, 30), nyquist * 0.9].map((hz) =>
      Math.abs(toneLevel({ samples: tone(hz, pair, -6), sampleRate: to }, hz) + 6),
    )
    expect(Math.max(...ripple)).toBeLessThan(0.09)
  })

  it('keeps images and aliases 81 dB down', () => {
    const loud = -0.1
    const heard = grid(20, nyquist - 10, 60).map((hz) => residue(tone(hz, pair, loud), hz, to))
    const unheard = [...grid(nyquist + 10, nyquist * 1.2, 40), ...grid(nyquist * 1.2, from / 2 - 10, 40)]
    const aliases = from > to ? unheard.map((hz) => level(tone(hz, pair, loud))) : []
    expect(Math.max(...heard, ...aliases) - (loud - 3.01)).toBeLessThan(-81)
  })

  it('keeps everything else 85 dB below a tone of 1 kHz at -6 dBFS', () => {
    const out = tone(1000, pair, -6)
    expect(level(out) - residue(out, 1000, to)).toBeGreaterThan(85)
  })

  it('does not shift the sound in time', () => {
    const settled = to / 50
    const { samples } = sine(700, { sampleRate: from, duration: 100 })
    const { samples: ideal } = sine(700, { sampleRate: to, duration: 100 })
    const out = resample(pair, samples)
    const off = out.map((sample, i) => sample - ideal[i]!).subarray(settled, -settled)
    expect(Math.max(...off.map(Math.abs))).toBeLessThanOrEqual(3)
  })

  it('returns the same samples, and the exact number, however the stream is cut', () => {
    const cuts = fc.array(fc.oneof(fc.nat(5), fc.nat(700)), { size: 'max', maxLength: 20 })
    fc.assert(
      fc.property(fc.nat(3000), cuts, (length, sizes) => {
        const samples = noise(length)
        const resampler = new Resampler(pair)
        const chunks: Int16Array[] = []
        let at = 0
        for (const size of sizes) chunks.push(resampler.push(samples.subarray(at, (at += size))))
        chunks.push(resampler.push(samples.subarray(at)), resampler.flush())

        const out = join(chunks)
        assert.equal(out.length, Math.ceil((samples.length * to) / from))
        // Not `toEqual`, which compares sample by sample and took most of the time of this file.
        assert.deepEqual(out, resample(pair, samples))
      }),
      { numRuns: 25 },
    )
  })

  it('delays by exactly its delay', () => {
    const resampler = new Resampler(pair)
    const frame = new Int16Array(from / 50)
    const first = resampler.push(frame).length
    expect(first).toBe(Math.ceil(to / 50 - (resampler.delay * to) / 1000))
    expect(resampler.push(frame).length).toBe(to / 50)
    expect(resampler.flush().length).toBe(to / 50 - first)
  })

  it('clips where the filter overshoots, without wrapping around', () => {
    const half = from / 100
    const square = Int16Array.from({ length: half * 6 }, (_, i) =>
      Math.floor(i / half) % 2 ? -32768 : 32767,
    )
    const out = resample(pair, square)
    const edge = Math.ceil(to / lowerNyquist(pair))
    for (let start = 0; start < out.length; start += to / 100) {
      const plateau = out.subarray(start + edge, start + to / 100 - edge)
      const up = (start / (to / 100)) % 2 === 0
      expect(Math.min(...Array.from(plateau, Math.abs))).toBeGreaterThan(25000)
      expect(plateau.every((sample) => sample > 0 === up)).toBe(true)
      expect(plateau).toContain(up ? 32767 : -32768)
    }
  })

  it('passes a constant without a hum', () => {
    const out = resample(pair, new Int16Array(from / 10).fill(12345))
    const settled = out.subarray(to / 50, -to / 50)
    expect(settled).toEqual(new Int16Array(settled.length).fill(12345))
  })

  it('starts over after a flush', () => {
    const { samples } = sine(440, { sampleRate: from, duration: 30 })
    const resampler = new Resampler(pair)
    const once = join([resampler.push(samples), resampler.flush()])
    const again = join([resampler.push(samples), resampler.flush()])
    expect(again).toEqual(once)
  })

  it('drops the sound so far when cleared', () => {
    const resampler = new Resampler(pair)
    resampler.push(sine(440, { sampleRate: from, duration: 30 }).samples)
    resampler.clear()
    const after = join([resampler.push(silence(30, from).samples), resampler.flush()])
    expect(after).toEqual(silence(30, to).samples)
  })

  it('does not keep a reference to a pushed chunk', () => {
    const { samples } = sine(440, { sampleRate: from, duration: 30 })
    const expected = resample(pair, samples)
    const resampler = new Resampler(pair)
    const chunk = samples.slice()
    const out = [resampler.push(chunk)]
    chunk.fill(0)
    expect(join([...out, resampler.flush()])).toEqual(expected)
  })
})

describe('a resampler', () => {
  it('between equal rates returns the samples themselves', () => {
    const resampler = new Resampler({ from: 16000, to: 16000 })
    const samples = Int16Array.of(1, 2, 3)
    expect(resampler.push(samples)).toBe(samples)
    expect(resampler.flush().length).toBe(0)
    expect(resampler.delay).toBe(0)
  })

  it.each([
    [8000, 24000, 5.59],
    [48000, 8000, 5.61],
    [24000, 16000, 2.8],
    [24000, 48000, 1.86],
  ] as const)('from %d to %d Hz delays by less than %d ms', (from, to, most) => {
    const { delay } = new Resampler({ from, to })
    expect(delay).toBeLessThan(most)
    expect(delay).toBeGreaterThan(most - 0.02)
  })

  it('refuses an unsupported rate', () => {
    const from = 44100 as SampleRate
    expect(() => new Resampler({ from, to: 8000 })).toThrow(
      expect.objectContaining({ code: 'BAD_SAMPLE_RATE' }),
    )
  })

  it('shares its filter with resamplers of the same ratio', () => {
    expect(filterFor(8000, 16000)).toBe(filterFor(24000, 48000))
    expect(filterFor(8000, 16000)).not.toBe(filterFor(16000, 8000))
  })
})
