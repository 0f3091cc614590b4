import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Call } from '../lines/websocket/client/index.ts'
import { bandsOf, drawSound, shapeOf } from './sound-levels.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Draws the sound of a call without an agent's sound, at a given time. */
function aScreen({ reducedMotion = false } = {}) {
  let draw: ((now: number) => void) | undefined
  vi.stubGlobal('matchMedia', () => ({ matches: reducedMotion }))
  vi.stubGlobal('requestAnimationFrame', (callback: (now: number) => void) => {
    draw = callback
    return 1
  })
  vi.stubGlobal('cancelAnimationFrame', () => {
    draw = undefined
  })
  let level: (level: number) => void = () => {}
  const off = vi.fn()
  const call = {
    output: undefined,
    state: 'live',
    on: (_: string, listener: (level: number) => void) => {
      level = listener
      return off
    },
  }
  const drawn: (readonly number[])[] = []
  const stop = drawSound(call as unknown as Call, 3, (heights) => drawn.push(heights))
  return { drawn, stop, off, frame: (now: number) => draw?.(now), hear: (heard: number) => level(heard) }
}

describe('the sound of a call', () => {
  it('is drawn with every frame of the screen, until it is stopped', () => {
    const { drawn, stop, off, frame, hear } = aScreen()
    frame(0)
    hear(0.25)
    frame(16)
    expect(drawn).toEqual([[0, 0, 0], shapeOf(0.25, 3)])
    stop()
    frame(32)
    expect(drawn).toHaveLength(2)
    expect(off).toHaveBeenCalledOnce()
  })

  it('is drawn twice per second for people who do not want motion', () => {
    const { drawn, frame } = aScreen({ reducedMotion: true })
    for (let now = 0; now < 2_000; now += 16) frame(now)
    expect(drawn).toHaveLength(4)
  })

  it('becomes bars: by frequency for the agent, and by level for the caller', () => {
    expect(bandsOf(Uint8Array.of(0, 51, 102, 153, 255, 255), 2, 4)).toEqual([0.2, 0.6])
    expect(bandsOf(new Uint8Array(0), 2, 4)).toEqual([0, 0])
    const [side = 0, middle = 0] = shapeOf(0.1, 3)
    expect(middle).toBeCloseTo(0.57, 2)
    expect(side).toBeLessThan(middle)
    expect(Math.max(...shapeOf(1, 5))).toBe(1)
  })
})
