import { describe, expect, it } from 'vitest'
import { RateLimit } from './rate-limit.ts'

describe('a rate limit', () => {
  it('allows a burst, and then as many as the elapsed time allows', () => {
    const limit = new RateLimit({ perSecond: 10, burst: 3 }, 0)
    expect([0, 0, 0, 0].map((at) => limit.take(at))).toEqual([true, true, true, false])
    expect(limit.take(50)).toBe(false)
    expect(limit.take(100)).toBe(true)
    expect(limit.take(100)).toBe(false)
    expect([10_000, 10_000, 10_000, 10_000].map((at) => limit.take(at))).toEqual([true, true, true, false])
  })

  it('tolerates a clock that goes backwards', () => {
    const limit = new RateLimit({ perSecond: 10, burst: 1 }, 1_000)
    expect(limit.take(1_000)).toBe(true)
    expect(limit.take(0)).toBe(false)
    expect(limit.take(100)).toBe(true)
  })
})
