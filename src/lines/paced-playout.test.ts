import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AudioFrame } from '../audio/index.ts'
import { PacedPlayout } from './paced-playout.ts'

const AHEAD = 200
const PIECE = 20
const STEP = 20

const sound = (ms: number): AudioFrame => ({ samples: new Int16Array(ms * 24).fill(1), sampleRate: 24_000 })

/** A peer that plays what it gets, in order, and the playout that feeds it every 20 ms. */
class Scene {
  readonly playout = new PacedPlayout({ sampleRate: 24_000, ahead: AHEAD, piece: PIECE })
  readonly marked: { readonly id: number; readonly heard: number; readonly at: number }[] = []
  now = 0
  /** Milliseconds of sound that the peer has got, and how much of it is not played yet. */
  got = 0
  buffered = 0
  mostBuffered = 0

  pump(): void {
    for (let next = this.playout.next(this.now); next; next = this.playout.next(this.now)) {
      if ('samples' in next) {
        expect(next.samples.length).toBeGreaterThan(0)
        this.got += next.samples.length / 24
        this.buffered += next.samples.length / 24
        this.mostBuffered = Math.max(this.mostBuffered, this.buffered)
      } else for (const mark of next.reached) this.marked.push({ ...mark, at: this.now })
    }
  }

  elapse(ms: number): void {
    for (let left = ms; left > 0; left -= STEP) {
      const step = Math.min(STEP, left)
      this.now += step
      this.buffered = Math.max(0, this.buffered - step)
      this.pump()
    }
  }

  say(ms: number, mark: number): void {
    this.playout.play(sound(ms), this.now)
    this.playout.mark(mark)
    this.pump()
  }

  clear(): void {
    this.playout.clear(this.now)
    this.pump()
  }
}

describe('paced playout', () => {
  it('[RV10] sends no more than the given time ahead, and all of it in time', () => {
    const scene = new Scene()
    scene.say(3_000, 1)
    expect(scene.got).toBe(AHEAD)
    scene.elapse(1_000)
    expect(scene.got).toBe(1_000 + AHEAD)
    expect(scene.buffered).toBe(AHEAD)
    scene.elapse(2_500)
    expect(scene.marked).toEqual([{ id: 1, heard: 3_000, at: 3_000 }])
    expect(scene.mostBuffered).toBeLessThanOrEqual(AHEAD)
    expect(scene.playout.paced).toBe(false)
  })

  it('[RV10] counts what was sent as heard after a clear, and says when it has stopped', () => {
    const scene = new Scene()
    scene.say(3_000, 1)
    scene.elapse(500)
    scene.clear()
    scene.playout.mark(2)
    scene.say(100, 3)
    scene.elapse(1_000)
    expect(scene.marked).toEqual([
      { id: 1, heard: 700, at: 700 },
      { id: 2, heard: 0, at: 700 },
      { id: 3, heard: 100, at: 800 },
    ])
    expect(scene.got).toBe(800)
  })

  it('[RV10] gives up marks with what was heard by then', () => {
    const scene = new Scene()
    scene.say(3_000, 1)
    scene.elapse(1_000)
    expect(scene.playout.giveUp()).toEqual([{ id: 1, heard: 1_000 }])
  })

  it('[RV10] never claims more than was sent, and reports each mark once, in order, when its sound has ended', () => {
    const act = fc.oneof(
      fc.record({ say: fc.integer({ min: 1, max: 700 }) }),
      fc.record({ wait: fc.integer({ min: 1, max: 600 }) }),
      fc.constant({ clear: true as const }),
    )
    fc.assert(
      fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
        const scene = new Scene()
        let lastMark = 0
        for (const each of acts) {
          if ('say' in each) scene.say(each.say, ++lastMark)
          else if ('wait' in each) scene.elapse(each.wait)
          else scene.clear()
        }
        scene.elapse(30_000)
        expect(scene.marked.map(({ id }) => id)).toEqual(Array.from({ length: lastMark }, (_, i) => i + 1))
        expect(scene.mostBuffered).toBeLessThanOrEqual(AHEAD + PIECE)
        const heard = scene.marked.reduce((sum, mark) => sum + mark.heard, 0)
        expect(heard).toBeCloseTo(scene.got, 3)
        for (const [index, { at }] of scene.marked.entries()) {
          const soFar = scene.marked.slice(0, index + 1).reduce((sum, mark) => sum + mark.heard, 0)
          // Sound cannot have been heard faster than it lasts.
          expect(soFar).toBeLessThanOrEqual(at + 0.001)
        }
        expect(scene.playout.unheard).toBe(0)
      }),
      { numRuns: 300, seed: 1 },
    )
  })
})
