import { describe, expect, it } from 'vitest'
import { doubtOf } from './doubt.ts'

describe('doubt', () => {
  const word = (frames: number, lost: number) => ({
    t: 'word',
    d: frames / 100,
    p: Math.exp(-lost * frames * Math.log(1.0001)),
  })

  it('is zero for words that fit', () => {
    expect(doubtOf([word(40, 20), word(30, 10)])).toBe(0)
  })

  it('is that of the worst stretch, however well the rest fits', () => {
    const worst = doubtOf([word(40, 60)])
    expect(worst).toBeCloseTo((40 * 35) / 900)
    expect(doubtOf([word(100, 5), word(40, 60), word(100, 5)])).toBeCloseTo(worst)
    expect(doubtOf([{ t: '(NULL)', d: 0.01, p: 0 }])).toBe(0)
    expect(doubtOf([{ t: 'word', d: 0.1, p: 0 }])).toBe(Infinity)
  })
})
