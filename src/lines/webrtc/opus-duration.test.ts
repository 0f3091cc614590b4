import { describe, expect, it } from 'vitest'
import { opusDuration } from './opus-duration.ts'

describe('the duration of an Opus packet', () => {
  it.each([
    ['20 ms of hybrid, as browsers send', [15 << 3], 20],
    ['20 ms of CELT', [31 << 3], 20],
    ['60 ms of SILK', [3 << 3], 60],
    ['two frames of 2.5 ms', [(16 << 3) | 1], 5],
    ['two frames of different sizes', [(9 << 3) | 2], 40],
    ['a number of frames', [(19 << 3) | 3, 6], 120],
  ])('is read from its first bytes: %s', (_, bytes, ms) => {
    expect(opusDuration(Uint8Array.from(bytes))).toBe(ms)
  })

  it('is 0 for what is not a packet', () => {
    for (const bytes of [[], [(19 << 3) | 3], [(3 << 3) | 3, 63], [(3 << 3) | 3, 0]])
      expect(opusDuration(Uint8Array.from(bytes))).toBe(0)
  })
})
