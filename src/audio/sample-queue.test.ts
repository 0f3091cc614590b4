import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { blockPool } from './block-pool.ts'
import { SampleQueue } from './sample-queue.ts'

/** Samples per block. */
const BLOCK = blockPool.size / 2

const newQueue = (): SampleQueue<Int16Array> => new SampleQueue<Int16Array>(Int16Array)
/** Samples that count up from a number. */
const counting = (length: number, from = 0): Int16Array =>
  Int16Array.from({ length }, (_, n) => (from + n) % 30_000)

/** Blocks that a test has taken. */
const taken: ArrayBuffer[] = []
const emptyPool = (): void => {
  while (blockPool.unused > 0) taken.push(blockPool.take())
}
afterEach(() => {
  for (const block of taken.splice(0)) blockPool.giveBack(block)
})

describe('a queue of samples', () => {
  it('returns what was added, however it was cut, and drops what comes before', () => {
    const step = fc.record({ add: fc.nat(2 * BLOCK), drop: fc.nat(2 * BLOCK) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const queue = newQueue()
        let dropped = 0
        for (const { add, drop } of steps) {
          queue.add(counting(add, queue.end))
          dropped = Math.min(queue.end, dropped + drop)
          queue.dropBefore(dropped)
          if (dropped < queue.end)
            assert.deepEqual(queue.read(dropped, queue.end), counting(queue.end - dropped, dropped))
        }
      }),
      { numRuns: 40 },
    )
  })

  it('copies what is added', () => {
    const queue = newQueue()
    const samples = counting(10)
    queue.add(samples)
    samples.fill(7)
    expect(queue.read(0, 10)).toEqual(counting(10))
  })

  it('[LN18] gives its memory back as soon as its sound is dropped, and not before', () => {
    emptyPool()
    const queue = newQueue()
    queue.add(counting(2 * BLOCK + 1))
    queue.dropBefore(BLOCK - 1)
    expect(blockPool.unused).toBe(0)
    queue.dropBefore(BLOCK)
    expect(blockPool.unused).toBe(blockPool.size)
    queue.dropBefore(2 * BLOCK)
    expect(blockPool.unused).toBe(2 * blockPool.size)
    queue.dropBefore(queue.end)
    expect(blockPool.unused).toBe(3 * blockPool.size)
  })

  it('[LN18] can be used again after all of its memory was given back', () => {
    emptyPool()
    const queue = newQueue()
    queue.add(counting(BLOCK + 100))
    queue.dropBefore(queue.end)
    const other = newQueue()
    other.add(new Int16Array(3 * BLOCK).fill(-1))
    queue.add(counting(BLOCK, queue.end))
    expect(queue.read(BLOCK + 100, queue.end)).toEqual(counting(BLOCK, BLOCK + 100))
    expect(other.read(0, other.end).every((sample) => sample === -1)).toBe(true)
  })

  it('stores bytes as well', () => {
    const queue = new SampleQueue<Uint8Array>(Uint8Array)
    queue.add(Uint8Array.of(1, 2, 3))
    expect(queue.read(1, 3)).toEqual(Uint8Array.of(2, 3))
  })
})

it('the pool keeps no more memory than 4 MB that nothing uses', () => {
  emptyPool()
  for (let n = 0; n < 1_000; n++) blockPool.giveBack(new ArrayBuffer(blockPool.size))
  expect(blockPool.unused).toBe(4 * 1024 * 1024)
  for (; blockPool.unused > 0; blockPool.take());
})
