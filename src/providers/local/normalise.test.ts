import { describe, expect, it } from 'vitest'
import { level, sine } from '../../audio/index.ts'
import { normalise } from './normalise.ts'

describe('normalised speech', () => {
  it('has a level of -20 dBFS and never clips', () => {
    const soft = sine(300, { sampleRate: 16_000, duration: 500, peak: -26 }).samples
    expect(level(normalise(soft))).toBeCloseTo(-20, 0)
    const spiky = new Int16Array(16_000)
    spiky[5] = 32_767
    expect(Math.max(...normalise(spiky))).toBeLessThan(30_000)
    expect(normalise(new Int16Array(10))).toEqual(new Int16Array(10))
  })
})
