import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DueQueue } from './due-queue.ts'

describe('a due queue', () => {
  it('returns names in the order in which they fall due', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100)), fc.nat(100), fc.nat(50), (dues, now, limit) => {
        const queue = new DueQueue()
        for (const [index, due] of dues.entries()) queue.add(`${index}`, due)
        const sorted = dues.toSorted((a, b) => a - b)
        const taken = queue.take(now, limit).map((name) => dues[Number(name)])
        expect(taken).toEqual(sorted.filter((due) => due <= now).slice(0, limit))
        expect(queue.next).toBe(sorted[taken.length])
        expect(queue.take(Infinity, Infinity).map((name) => dues[Number(name)])).toEqual(
          sorted.slice(taken.length),
        )
        expect([queue.size, queue.next]).toEqual([0, undefined])
      }),
    )
  })
})
