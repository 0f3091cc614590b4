import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../testing/index.ts'
import { attempt, callOut, observe, shelter } from './edge.ts'

const boom = new Error('boom')
const rethrow = (error: unknown): never => {
  throw error
}

type Settle = (value: unknown) => void

function thenable(then: unknown, target: object = {}): object {
  return new Proxy(target, { get: (_, key) => (key === 'then' ? then : undefined) })
}

/** Results that break the rules of promises, and what each counts as. */
const hostile: [name: string, make: () => unknown, outcome: 'failed' | 'done' | 'pending'][] = [
  ['a promise that rejects', () => Promise.reject(boom), 'failed'],
  ['a promise that never settles', () => new Promise(() => {}), 'pending'],
  ['a `then` that is not a function', () => thenable('soon'), 'done'],
  ['a `then` that throws', () => thenable(() => rethrow(boom)), 'failed'],
  ['a `then` that never calls back', () => thenable(() => {}), 'pending'],
  [
    'a `then` that rejects twice',
    () =>
      thenable((_: Settle, reject: Settle) => {
        reject(boom)
        reject(new Error('again'))
      }),
    'failed',
  ],
  [
    'a `then` that resolves and rejects',
    () =>
      thenable((resolve: Settle, reject: Settle) => {
        resolve(1)
        reject(boom)
      }),
    'done',
  ],
  [
    'a `then` that rejects and throws',
    () =>
      thenable((_: Settle, reject: Settle) => {
        reject(boom)
        throw new Error('on top')
      }),
    'failed',
  ],
  [
    'a `then` that resolves to a promise that rejects',
    () => thenable((resolve: Settle) => resolve(Promise.reject(boom))),
    'failed',
  ],
  [
    'a function with a `then`',
    () =>
      thenable(
        (_: Settle, reject: Settle) => reject(boom),
        () => {},
      ),
    'failed',
  ],
  ['a proxy of a promise', () => new Proxy(Promise.resolve(), {}), 'failed'],
  ['a proxy whose properties throw', () => new Proxy({}, { get: () => rethrow(boom) }), 'failed'],
  [
    'a promise whose `constructor` throws',
    () => Object.defineProperty(Promise.resolve(), 'constructor', { get: () => rethrow(boom) }),
    'failed',
  ],
]

describe('callOut', () => {
  it('returns the result of the function, which may be a promise', async () => {
    const promise = Promise.resolve(1)
    expect(callOut(() => 42, rethrow)).toBe(42)
    expect(callOut(() => promise, rethrow)).toBe(promise)
  })

  it('[SC19] reports a throw and returns undefined', () => {
    const errors: unknown[] = []
    expect(
      callOut(
        () => rethrow(boom),
        (error) => errors.push(error),
      ),
    ).toBeUndefined()
    expect(errors).toEqual([boom])
  })

  it.each(hostile)('[SC19] survives %s, and calls `failed` once at most', (_, make, outcome) =>
    inVirtualTime(async ({ clock }) => {
      const errors: unknown[] = []
      callOut(make, (error) => errors.push(error))
      await clock.elapse(1)
      expect(errors).toHaveLength(outcome === 'failed' ? 1 : 0)
    }),
  )

  it.each([
    ['throws', () => rethrow(new Error('also broken'))],
    ['rejects', () => Promise.reject(new Error('also broken'))],
  ])('[SC19] drops what `failed` itself %s', (_, failed: () => unknown) =>
    inVirtualTime(async ({ clock }) => {
      callOut(() => rethrow(boom), failed)
      callOut(() => Promise.reject(boom) as unknown, failed)
      await clock.elapse(1)
    }),
  )
})

describe('attempt', () => {
  it.each(hostile)('[SC19] survives %s, and calls one callback once', (_, make, outcome) =>
    inVirtualTime(async ({ clock }) => {
      for (const follow of [
        attempt,
        (work: () => unknown, ...callbacks: Callbacks) => observe(work(), ...callbacks),
      ]) {
        const calls: string[] = []
        follow(
          make,
          () => calls.push('done'),
          () => calls.push('failed'),
        )
        await clock.elapse(1)
        expect(calls).toEqual(outcome === 'pending' ? [] : [outcome])
      }
    }),
  )

  it('is synchronous if its work is', () => {
    const calls: unknown[] = []
    attempt(
      () => 1,
      (value) => calls.push(value),
      rethrow,
    )
    attempt(
      () => rethrow(boom),
      rethrow,
      (error) => calls.push(error),
    )
    expect(calls).toEqual([1, boom])
  })
})

type Callbacks = [done: (value: unknown) => void, failed: (error: unknown) => void]

describe('shelter', () => {
  it('calls the methods on the object and returns their results', () => {
    const line = {
      played: 0,
      play(count: number) {
        return (this.played += count)
      },
    }
    const { play } = shelter(line, ['play'], rethrow)
    expect([play(2), play(3), line.played]).toEqual([2, 5, 5])
  })

  it('[SC19] reports the first failure of each method, thrown or rejected, and no later one', () =>
    inVirtualTime(async ({ clock }) => {
      const errors: string[] = []
      const line = {
        play: () => rethrow(new Error('play')),
        mark: () => Promise.reject(new Error('mark')),
        clear: () => 'cleared',
        get missing(): () => void {
          throw new Error('missing')
        },
      }
      const safe = shelter(line, ['play', 'mark', 'clear', 'missing'], (error) =>
        errors.push((error as Error).message),
      )
      for (let frame = 0; frame < 3; frame++) {
        expect(safe.play()).toBeUndefined()
        safe.mark().catch(() => {})
        safe.missing()
        expect(safe.clear()).toBe('cleared')
        await clock.elapse(20)
      }
      expect(errors.toSorted()).toEqual(['mark', 'missing', 'play'])
    }))
})
