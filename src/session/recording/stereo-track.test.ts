import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sine, toneLevel, type AudioFrame, type SampleRate } from '../../audio/index.ts'
import { StereoTrack } from './stereo-track.ts'

/** Sound that is easy to recognise: all samples have the same value. */
function sound(value: number, ms: number, sampleRate: SampleRate = 8000): AudioFrame {
  return { samples: new Int16Array((ms * sampleRate) / 1000).fill(value), sampleRate }
}

const track = (startedAt = 0): StereoTrack => new StereoTrack({ sampleRate: 8000, startedAt })

/** One channel as runs of one value: `[value, milliseconds]`. */
function runs(samples: Int16Array, side: 0 | 1): [value: number, ms: number][] {
  const found: [number, number][] = []
  for (let i = side; i < samples.length; i += 2) {
    const last = found.at(-1)
    if (last && last[0] === samples[i]) last[1] += 1 / 8
    else found.push([samples[i]!, 1 / 8])
  }
  return found
}

const all = (stereo: StereoTrack, until: number) => {
  const samples = stereo.take(until, 1e6)
  return { caller: runs(samples, 0), agent: runs(samples, 1) }
}

describe("the caller's sound", () => {
  it('is placed when it was spoken: just before it arrived', () => {
    const stereo = track(1_000)
    stereo.caller(sound(1, 20), 1_100)
    expect(all(stereo, 1_200).caller).toEqual([
      [0, 80],
      [1, 20],
      [0, 100],
    ])
  })

  it('is continuous despite network jitter', () => {
    const stereo = track()
    for (const [i, now] of [20, 55, 60, 130, 131, 132, 140].entries()) stereo.caller(sound(i + 1, 20), now)
    const { caller } = all(stereo, 140)
    expect(caller).toEqual([1, 2, 3, 4, 5, 6, 7].map((value) => [value, 20]))
  })

  it('is silent in a pause', () => {
    const stereo = track()
    stereo.caller(sound(1, 20), 20)
    stereo.caller(sound(2, 20), 520)
    expect(all(stereo, 520).caller).toEqual([
      [1, 20],
      [0, 480],
      [2, 20],
    ])
  })

  it('is moved back to when it was spoken if it arrives in a burst after a network gap', () => {
    const stereo = track()
    stereo.caller(sound(1, 20), 20)
    for (let i = 0; i < 25; i++) stereo.caller(sound(2, 20), 521)
    stereo.caller(sound(3, 20), 540)
    const { caller } = all(stereo, 600)
    expect(caller).toEqual([
      [1, 20],
      [2, 500],
      [3, 20],
      [0, 60],
    ])
  })

  it('is not moved back over earlier sound, however long the burst is', () => {
    const stereo = track()
    stereo.caller(sound(1, 20), 20)
    for (let i = 0; i < 40; i++) stereo.caller(sound(2, 20), 520)
    expect(all(stereo, 820).caller).toEqual([
      [1, 20],
      [2, 800],
    ])
  })

  it('is not moved back once part of it was taken', () => {
    const stereo = track()
    stereo.caller(sound(1, 20), 20)
    stereo.caller(sound(2, 20), 520)
    expect(all(stereo, 510).caller).toEqual([
      [1, 20],
      [0, 480],
      [2, 10],
    ])
    for (let i = 0; i < 5; i++) stereo.caller(sound(3, 20), 520)
    expect(all(stereo, 620).caller).toEqual([
      [2, 10],
      [3, 100],
    ])
  })

  it('begins after the silence that was taken already', () => {
    const stereo = track()
    stereo.caller(sound(1, 20), 20)
    all(stereo, 115)
    stereo.caller(sound(2, 20), 130)
    expect(all(stereo, 140).caller).toEqual([
      [2, 20],
      [0, 5],
    ])
  })

  it('is not moved back over silence that was taken', () => {
    const stereo = track()
    stereo.caller(sound(1, 20), 20)
    expect(all(stereo, 450).caller).toEqual([
      [1, 20],
      [0, 430],
    ])
    for (let i = 0; i < 10; i++) stereo.caller(sound(2, 20), 521)
    expect(all(stereo, 650).caller).toEqual([[2, 200]])
  })

  it('is rejected after two seconds if it arrives faster than real time', () => {
    const stereo = track()
    const taken = Array.from({ length: 300 }, () => stereo.caller(sound(1, 20), 20))
    expect(taken.filter(Boolean)).toHaveLength(102)
    expect(stereo.caller(sound(1, 20), 60)).toBe(true)
  })
})

describe("the agent's sound", () => {
  it('is placed when it is heard, not when it was made', () => {
    const stereo = track()
    stereo.agent(sound(1, 100), 300)
    stereo.agent(sound(2, 100), 400)
    stereo.agent(sound(3, 100), 700)
    expect(all(stereo, 800).agent).toEqual([
      [0, 300],
      [1, 100],
      [2, 100],
      [0, 200],
      [3, 100],
    ])
  })

  it('is cut at a clear, even in the middle of a frame', () => {
    const stereo = track()
    for (let i = 0; i < 5; i++) stereo.agent(sound(1, 100), i * 100)
    stereo.clear(250)
    expect(all(stereo, 400).agent).toEqual([
      [1, 250],
      [0, 150],
    ])
  })

  it('begins at its exact time after a clear, however small the gap is', () => {
    const stereo = track()
    stereo.agent(sound(1, 1_000), 0)
    stereo.clear(250)
    stereo.agent(sound(2, 100), 253)
    expect(all(stereo, 353).agent).toEqual([
      [1, 250],
      [0, 3],
      [2, 100],
    ])
  })

  it('is not changed by a clear when nothing is queued', () => {
    const stereo = track()
    stereo.clear(0)
    stereo.agent(sound(1, 100), 0)
    stereo.clear(500)
    stereo.clear(600)
    expect(all(stereo, 200).agent).toEqual([
      [1, 100],
      [0, 100],
    ])
  })

  it('includes sound that was heard after a clear', () => {
    const stereo = track()
    for (let i = 0; i < 10; i++) stereo.agent(sound(i + 1, 100), i * 100)
    stereo.clear(250)
    stereo.heardAfterClear(100)
    stereo.heardAfterClear(500)
    expect(all(stereo, 400).agent).toEqual([
      [1, 100],
      [2, 100],
      [3, 100],
      [4, 50],
      [0, 50],
    ])
  })

  it('is restored neither over other sound nor into what was taken', () => {
    const stereo = track()
    stereo.agent(sound(1, 1_000), 0)
    stereo.clear(200)
    stereo.agent(sound(2, 100), 400)
    expect(all(stereo, 300).agent).toEqual([
      [1, 200],
      [0, 100],
    ])
    stereo.heardAfterClear(800)
    expect(all(stereo, 600).agent).toEqual([
      [1, 100],
      [2, 100],
      [0, 100],
    ])
  })

  it('can be restored for at most ten seconds after a clear', () => {
    const stereo = track()
    stereo.agent(sound(1, 30_000), 0)
    stereo.clear(1_000)
    stereo.heardAfterClear(20_000)
    expect(all(stereo, 30_000).agent).toEqual([
      [1, 11_000],
      [0, 19_000],
    ])
  })

  it('is not changed by sound heard after a clear if there was no clear', () => {
    const stereo = track()
    stereo.agent(sound(1, 100), 0)
    for (const ms of [100, 0, -5, NaN]) stereo.heardAfterClear(ms)
    expect(all(stereo, 200).agent).toEqual([
      [1, 100],
      [0, 100],
    ])
  })
})

describe('a stereo track', () => {
  it('has both sides at one sample rate', () => {
    const stereo = new StereoTrack({ sampleRate: 16000, startedAt: 0 })
    const high = sine(1_000, { sampleRate: 48000, duration: 400 })
    const low = sine(500, { sampleRate: 8000, duration: 400 })
    for (let i = 0; i < 20; i++) {
      stereo.caller(
        { samples: high.samples.subarray(i * 960, i * 960 + 960), sampleRate: 48000 },
        i * 20 + 20,
      )
      stereo.agent({ samples: low.samples.subarray(i * 160, i * 160 + 160), sampleRate: 8000 }, i * 20 + 400)
    }
    expect(stereo.finish(1_000)).toBe(800)
    const samples = stereo.take(800, 1e6)
    const side = (offset: number, from: number, to: number): AudioFrame => ({
      samples: samples.filter((_, i) => i % 2 === offset).slice(from * 16, to * 16),
      sampleRate: 16000,
    })
    expect(toneLevel(side(0, 20, 380), 1_000)).toBeCloseTo(-6, 1)
    expect(toneLevel(side(1, 420, 780), 500)).toBeCloseTo(-6, 1)
    expect(side(0, 400, 800).samples.every((sample) => sample === 0)).toBe(true)
    expect(side(1, 0, 400).samples.every((sample) => sample === 0)).toBe(true)
  })

  it('does not lose what the resampler holds back at a pause or when the rate changes', () => {
    const stereo = new StereoTrack({ sampleRate: 8000, startedAt: 0 })
    stereo.agent(sine(400, { sampleRate: 24000, duration: 100 }), 0)
    stereo.agent(sine(400, { sampleRate: 16000, duration: 100 }), 100)
    stereo.agent(sine(400, { sampleRate: 16000, duration: 100 }), 300)
    stereo.finish(400)
    const right = stereo.take(400, 1e6).filter((_, i) => i % 2 === 1)
    const level = (from: number) =>
      toneLevel({ samples: right.slice(from * 8, from * 8 + 100 * 8), sampleRate: 8000 }, 400)
    expect([level(0), level(100), level(300)].map(Math.round)).toEqual([-6, -6, -6])
    expect(level(200)).toBeLessThan(-40)
  })

  it('does not lose what the resampler holds back of the caller at the end', () => {
    const stereo = track()
    stereo.caller(sine(400, { sampleRate: 24000, duration: 100 }), 100)
    expect(stereo.finish(100)).toBe(100)
  })

  it('ends with the last sound that was heard', () => {
    const stereo = track()
    stereo.caller(sound(1, 20), 100)
    stereo.agent(sound(1, 1_000), 50)
    expect(stereo.finish(300)).toBe(300)
    expect(stereo.waiting(300)).toBe(300)
  })

  it('can be taken in parts, and needs no memory for silence', () => {
    const stereo = track()
    stereo.caller(sound(1, 20), 3_600_000)
    expect(stereo.waiting(3_600_000)).toBe(3_600_000)
    expect(stereo.soundBefore(3_600_000)).toBe(20)
    let length = 0
    for (let part = stereo.take(3_600_000, 60_000); part.length > 0; part = stereo.take(3_600_000, 60_000)) {
      length += part.length
    }
    expect(length).toBe(3_600 * 8_000 * 2)
  })

  it('replaces discarded sound with silence, and leaves the rest in place', () => {
    const stereo = track()
    for (let i = 0; i < 10; i++) {
      stereo.caller(sound(1, 100), i * 100 + 100)
      stereo.agent(sound(2, 100), i * 100)
    }
    expect(stereo.soundBefore(800)).toBe(800)
    stereo.discard(350)
    expect(stereo.soundBefore(800)).toBe(450)
    const { caller, agent } = all(stereo, 1_000)
    expect([caller, agent]).toEqual([
      [
        [0, 350],
        [1, 650],
      ],
      [
        [0, 350],
        [2, 650],
      ],
    ])
  })

  it('gives the same samples however it is taken', () => {
    const event = fc.record({
      what: fc.constantFrom('caller', 'agent', 'clear'),
      ms: fc.integer({ min: 1, max: 300 }),
      passes: fc.integer({ min: 0, max: 400 }),
    })
    const live = (events: { what: string; ms: number; passes: number }[], lag: number, most: number) => {
      const stereo = track()
      const parts: number[] = []
      let now = 0
      let value = 0
      let queued = 0
      for (const { what, ms, passes } of events) {
        now += passes
        queued = Math.max(queued, now)
        if (what === 'caller') stereo.caller(sound(++value, ms), now)
        if (what === 'agent') stereo.agent(sound(++value, ms), queued)
        if (what === 'agent') queued += ms
        if (what === 'clear') stereo.clear((queued = now))
        parts.push(...stereo.take(now - lag, most))
      }
      const end = stereo.finish(now)
      for (let part = stereo.take(end, most); part.length > 0; part = stereo.take(end, most))
        parts.push(...part)
      return parts
    }
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), fc.integer({ min: 400, max: 900 }), (events, most) => {
        // Sound older than four seconds is not moved.
        expect(live(events, 4_000, most)).toEqual(live(events, 1e9, 1e6))
      }),
      { numRuns: 50 },
    )
  })
})
