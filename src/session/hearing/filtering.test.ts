import { describe, expect, it } from 'vitest'
import { pcm, silence } from '../../audio/index.ts'
import { limits } from '../limits.ts'
import { Filtering } from './filtering.ts'

describe('a filter that holds frames', () => {
  it('[PT5] [SC18] is bypassed when it holds too many, however fast they came', () => {
    const errors: unknown[] = []
    let passed = 0
    const filtering = new Filtering({
      filter: { filter: () => new Promise(() => {}) },
      from: pcm(16_000),
      to: pcm(16_000),
      pass: () => void passed++,
      now: () => 0,
      failed: (error) => errors.push(error),
    })
    for (let count = 0; count < limits.filterFrames; count++) filtering.push(silence(20, 16_000))
    expect([passed, errors]).toEqual([0, []])
    filtering.push(silence(20, 16_000))
    filtering.push(silence(20, 16_000))
    expect(passed).toBe(limits.filterFrames + 2)
    expect(errors).toHaveLength(1)
  })
})
