import { describe, expect, it } from 'vitest'
import { Playout, type PlaybackEvent } from './playback-worklet.ts'

const RATE = 16_000
const QUANTUM = 128

/** A playout, and the events it emitted. */
class Speaker {
  readonly events: PlaybackEvent[] = []
  readonly playout = new Playout(RATE, (event) => this.events.push(event))

  /** Renders quanta. Returns the samples that are not silent. */
  render(quanta: number): number[] {
    const samples: number[] = []
    for (let i = 0; i < quanta; i++) {
      const output = new Float32Array(QUANTUM).fill(1)
      this.playout.render(output)
      samples.push(...Array.from(output, (sample) => sample * 32768).filter((sample) => sample !== 0))
    }
    return samples
  }

  get marks(): string[] {
    return this.events.flatMap((event) => (event.type === 'marked' ? [`${event.id} ${event.heard}`] : []))
  }
}

/** Samples that encode their position. */
const ramp = (from: number, length: number): Int16Array =>
  Int16Array.from({ length }, (_, index) => 1 + ((from + index) % 30_000))
const second = (from = 0): Int16Array => ramp(from, RATE)

describe('the playout of a page', () => {
  it('renders every sample once, in order, however it was cut into pieces', () => {
    const speaker = new Speaker()
    for (let at = 0; at < RATE; at += 333) speaker.playout.sound(at, second().subarray(at, at + 333))
    expect(speaker.render(200)).toEqual([...second()])
  })

  it('buffers a little sound before it starts, but starts without it in the end', () => {
    const speaker = new Speaker()
    speaker.playout.sound(0, second().subarray(0, 160))
    expect(speaker.render(6)).toEqual([])
    speaker.playout.sound(160, second().subarray(160, 960))
    expect(speaker.render(1)).toHaveLength(QUANTUM)

    const short = new Speaker()
    short.playout.sound(0, second().subarray(0, 160))
    expect(short.render(10)).toHaveLength(160)
  })

  it('buffers more after sound ran out in the middle, but not after the end of a speech', () => {
    const stutters = (mark: boolean): number => {
      const speaker = new Speaker()
      for (let turn = 0; turn < 4; turn++) {
        speaker.playout.sound(turn * RATE, second(turn * RATE))
        if (mark) speaker.playout.mark(turn, (turn + 1) * RATE)
        speaker.render(200)
      }
      speaker.playout.sound(4 * RATE, second(4 * RATE).subarray(0, 160))
      let quanta = 0
      while (speaker.render(1).length === 0) quanta++
      return quanta
    }
    expect(stutters(true)).toBeLessThan(8)
    expect(stutters(false)).toBeGreaterThan(20)
  })

  it('returns a mark when its sample has been rendered, counted to the sample', () => {
    const speaker = new Speaker()
    speaker.playout.sound(0, second())
    speaker.playout.mark(1, 1_000)
    speaker.playout.mark(2, 1_001)
    speaker.playout.mark(3, RATE)
    speaker.render(7)
    expect(speaker.marks).toEqual([])
    speaker.render(1)
    expect(speaker.marks).toEqual(['1 62.5', '2 0.0625'])
    speaker.render(200)
    expect(speaker.marks).toEqual(['1 62.5', '2 0.0625', `3 ${1000 - 62.5 - 0.0625}`])
  })

  it('returns a mark at once if there is no sound before it', () => {
    const speaker = new Speaker()
    speaker.playout.mark(1, 0)
    expect(speaker.marks).toEqual(['1 0'])
  })

  it('is silent in the quantum after a clear, and returns the cleared marks', () => {
    const speaker = new Speaker()
    speaker.playout.sound(0, second())
    speaker.playout.mark(1, RATE)
    expect(speaker.render(10)).toHaveLength(10 * QUANTUM)
    speaker.playout.clear(RATE)
    expect(speaker.marks).toEqual([`1 ${(10 * QUANTUM * 1000) / RATE}`])
    expect(speaker.render(10)).toEqual([])
  })

  it('drops sound that arrives after it was cleared, and plays the sound behind it', () => {
    const speaker = new Speaker()
    speaker.playout.clear(500)
    speaker.playout.sound(0, second().subarray(0, 400))
    speaker.playout.sound(400, second().subarray(400, 1_000))
    expect(speaker.render(100)).toEqual([...second().subarray(500, 1_000)])
  })

  it('keeps sound behind the position of a clear', () => {
    const speaker = new Speaker()
    speaker.playout.sound(0, second())
    speaker.render(2)
    speaker.playout.clear(8_000)
    expect(speaker.render(200)).toEqual([...second().subarray(8_000)])
  })

  it('plays sound once that is sent twice, and continues behind a gap', () => {
    const speaker = new Speaker()
    speaker.playout.sound(0, second().subarray(0, 2_000))
    speaker.playout.sound(1_000, second().subarray(1_000, 3_000))
    speaker.playout.sound(5_000, second().subarray(5_000, 6_000))
    speaker.playout.mark(1, 4_000)
    speaker.playout.mark(2, 6_000)
    expect(speaker.render(200)).toEqual([...second().subarray(0, 3_000), ...second().subarray(5_000, 6_000)])
    expect(speaker.marks).toEqual([`1 ${3_000 / 16}`, `2 ${1_000 / 16}`])
  })

  it('returns a mark again when asked again, with the same value', () => {
    const speaker = new Speaker()
    speaker.playout.sound(0, second().subarray(0, 1_600))
    speaker.playout.mark(1, 1_600)
    speaker.playout.mark(1, 1_600)
    speaker.render(30)
    speaker.playout.mark(1, 1_600)
    expect(speaker.marks).toEqual(['1 100', '1 100'])
  })

  it('reports its position a few times per second, and when it falls silent', () => {
    const speaker = new Speaker()
    speaker.playout.sound(0, second())
    speaker.render(200)
    const places = speaker.events.flatMap((event) => (event.type === 'played' ? [event.at] : []))
    expect(places.length).toBeGreaterThanOrEqual(5)
    expect(places.length).toBeLessThanOrEqual(7)
    expect(places.at(-1)).toBe(RATE)
    expect(speaker.events.filter(({ type }) => type === 'speaking')).toEqual([
      { type: 'speaking', on: true },
      { type: 'speaking', on: false },
    ])
  })
})
