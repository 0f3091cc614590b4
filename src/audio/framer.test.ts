import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concat } from './frame.ts'
import { Framer } from './framer.ts'

describe('a framer', () => {
  it('cuts chunks of any size into whole frames, without loss', () => {
    const chunks = fc.array(fc.int16Array({ maxLength: 500 }), { maxLength: 12 })
    fc.assert(
      fc.property(chunks, (sound) => {
        const framer = new Framer({ sampleRate: 8000 })
        const frames = sound.flatMap((chunk) => framer.push(chunk))
        const total = sound.reduce((sum, chunk) => sum + chunk.length, 0)
        expect(framer.remainder).toBe((total % 160) / 8)

        const last = framer.flush()
        const all = last ? [...frames, last] : frames
        expect(all.length).toBe(Math.ceil(total / 160))
        expect(all.every((frame) => frame.samples.length === 160)).toBe(true)

        const expected = new Int16Array(all.length * 160)
        expected.set(sound.flatMap((chunk) => [...chunk]))
        expect(concat(all, 8000).samples).toEqual(expected)
      }),
    )
  })

  it('does not copy frames that lie within one chunk', () => {
    const framer = new Framer({ sampleRate: 8000 })
    const chunk = new Int16Array(400)
    expect(framer.push(chunk).map((frame) => frame.samples.buffer)).toEqual([chunk.buffer, chunk.buffer])

    const next = new Int16Array(80 + 160)
    const [straddling, within] = framer.push(next)
    expect(straddling!.samples.buffer).not.toBe(chunk.buffer)
    expect(within!.samples.buffer).toBe(next.buffer)
  })

  it('never writes into a frame that it has returned', () => {
    const framer = new Framer({ sampleRate: 8000 })
    framer.push(new Int16Array(100).fill(1))
    const [frame] = framer.push(new Int16Array(100).fill(2))
    framer.push(new Int16Array(100).fill(3))
    expect(frame!.samples).toEqual(new Int16Array(160).fill(1, 0, 100).fill(2, 100))
  })

  it('pads the last frame with silence', () => {
    const framer = new Framer({ sampleRate: 8000, duration: 0.5 })
    framer.push(Int16Array.of(5))
    expect(framer.flush()).toEqual({ samples: Int16Array.of(5, 0, 0, 0), sampleRate: 8000 })
    expect(framer.flush()).toBeUndefined()
  })

  it('drops the remainder when cleared', () => {
    const framer = new Framer({ sampleRate: 8000, duration: 0.5 })
    framer.push(Int16Array.of(5))
    framer.clear()
    expect(framer.remainder).toBe(0)
    expect(framer.push(Int16Array.of(1, 2, 3, 4))[0]!.samples).toEqual(Int16Array.of(1, 2, 3, 4))
  })

  it.each([0, 0.1, -20])('refuses frames of %d ms', (duration) => {
    expect(() => new Framer({ sampleRate: 8000, duration })).toThrow(
      expect.objectContaining({ code: 'BAD_DURATION' }),
    )
  })
})
