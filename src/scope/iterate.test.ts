import { describe, expect, it } from 'vitest'
import { Scope, type TaskContext, type TaskHandle } from './index.ts'
import { inVirtualTime, type World } from '../testing/index.ts'
import { SignalStop, iterate, type Stop } from './index.ts'

const never = (): Promise<never> => new Promise(() => {})

/** Reads the whole source in a task of its own. */
function take<T>(
  scope: Scope,
  source: (task: TaskContext) => AsyncIterable<T>,
  taken: T[],
): TaskHandle<void> {
  return scope.spawn('take', async (task) => {
    for await (const value of iterate(source(task), task)) taken.push(value)
  })
}

/** Yields numbers, then hangs and ignores its signal. */
async function* hangsAfter(count: number, log: string[] = []): AsyncGenerator<number> {
  try {
    for (let i = 0; i < count; i++) yield i
    await never()
  } finally {
    log.push('returned')
  }
}

describe('iterating', () => {
  it('reads every value, and does not call return() on a source that has ended', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      const log: string[] = []
      const source: AsyncIterable<number> = {
        [Symbol.asyncIterator]: () => {
          let count = 0
          return {
            next: async () =>
              count < 3 ? { done: false, value: count++ } : { done: true, value: undefined },
            return: async () => {
              log.push('return')
              return { done: true, value: undefined }
            },
          }
        },
      }
      const taken: number[] = []
      await take(scope, () => source, taken).result
      expect(taken).toEqual([0, 1, 2])
      expect(log).toEqual([])
    }))

  it('stops although the source hangs and ignores its signal, and waits for it no longer than `patience`', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      const taken: number[] = []
      const task = take(scope, () => hangsAfter(2), taken)
      await clock.elapse(1_000)
      task.cancel('interrupted')
      await expect(task.result).rejects.toThrow('interrupted')
      expect(task.outcome).toBe('cancelled')
      expect(taken).toEqual([0, 1])
      expect(clock.now()).toBe(1_100)
    }))

  it('waits for the cleanup of a source that respects its signal', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      const log: string[] = []
      async function* polite({ until, scope: { clock: time } }: TaskContext): AsyncGenerator<number> {
        try {
          yield 1
          await until(never())
        } finally {
          await new Promise<void>((resolve) => {
            time.after(30, 'cleanup', resolve)
          })
          log.push(`cleaned at ${time.now()}`)
        }
      }
      const task = take(scope, polite, [])
      await clock.elapse(10)
      task.cancel()
      await task.result.catch(() => {})
      expect(log).toEqual(['cleaned at 40'])
      expect(clock.now()).toBe(40)
    }))

  it('yields nothing after a cancel, however much the source has', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      const log: string[] = []
      const taken: number[] = []
      const task = scope.spawn('take', async (own) => {
        for await (const value of iterate(hangsAfter(100, log), own)) {
          taken.push(value)
          if (value === 2) task.cancel()
        }
      })
      await task.result.catch(() => {})
      expect(taken).toEqual([0, 1, 2])
      expect(log).toEqual(['returned'])
      expect(clock.now()).toBe(0)
    }))

  it('throws what the source throws, whether from next() or while creating its iterator', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      let returned = false
      const broken = (part: 'iterator' | 'next' | 'promise'): AsyncIterable<number> => ({
        [Symbol.asyncIterator]: () => {
          if (part === 'iterator') throw new Error(part)
          return {
            next: () => {
              if (part === 'next') throw new Error(part)
              return Promise.reject(new Error(part))
            },
            return: () => {
              returned = true
              return Promise.resolve({ done: true, value: undefined })
            },
          }
        },
      })
      for (const part of ['iterator', 'next', 'promise'] as const)
        await expect(take(scope, () => broken(part), []).result).rejects.toThrow(part)
      expect(returned).toBe(false)
    }))

  it('throws an error of return() after a break, and drops it after a cancel', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      const rude: AsyncIterable<number> = {
        [Symbol.asyncIterator]: () => ({
          next: async () => ({ done: false, value: 1 }),
          return: () => Promise.reject(new Error('no')),
        }),
      }
      const broke = scope.spawn('break', async (task) => {
        for await (const value of iterate(rude, task)) if (value) break
      })
      await expect(broke.result).rejects.toThrow('no')
      const cancelled = scope.spawn('cancel', async (task) => {
        for await (const value of iterate(rude, task)) if (value) cancelled.cancel('enough')
      })
      await expect(cancelled.result).rejects.toThrow('enough')
    }))

  it('breaks out of a source that never returns', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      const stuck: AsyncIterable<number> = {
        [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: 1 }), return: never }),
      }
      const task = scope.spawn('break', async (own) => {
        for await (const value of iterate(stuck, own, { patience: 20 })) if (value) break
      })
      await task.result
      expect(clock.now()).toBe(20)
    }))

  it('can leave a source without return()', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      const simple: AsyncIterable<number> = { [Symbol.asyncIterator]: () => ({ next: never }) }
      const task = take(scope, () => simple, [])
      await clock.elapse(10)
      task.cancel('enough')
      await expect(task.result).rejects.toThrow('enough')
      expect(clock.now()).toBe(10)
      const numbers: AsyncIterable<number> = {
        [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: 1 }) }),
      }
      const broke = scope.spawn('break', async (own) => {
        for await (const value of iterate(numbers, own)) if (value) break
      })
      await broke.result
    }))

  it('causes no unhandled rejection when the source fails after the loop was left', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      const late: AsyncIterable<number> = {
        [Symbol.asyncIterator]: () => ({
          next: () => clock.elapse(5_000).then(() => Promise.reject(new Error('too late'))),
          return: () => clock.elapse(6_000).then(() => Promise.reject(new Error('later still'))),
        }),
      }
      const task = take(scope, () => late, [])
      await clock.elapse(10)
      task.cancel()
      await task.result.catch(() => {})
      expect(clock.now()).toBe(110)
      await clock.elapse(10_000)
    }))

  it('[SC9] leaves no timer behind when the task was abandoned', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      take(scope, () => hangsAfter(1), [])
      await clock.elapse(10)
      scope.abort()
      await clock.elapse(0)
      expect(clock.timers.list()).toEqual([])
    }))

  it('[SC15] leaves no timer behind when its scope is forced while it waits for a source to return', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      const child = scope.child('child')
      const task = take(scope, () => hangsAfter(1), [])
      await clock.elapse(10)
      task.cancel()
      await clock.elapse(10)
      // The close of another scope is not a reason to stop waiting.
      await child.close()
      expect(clock.timers.list()).toMatchObject([{ name: 'return of an iterator' }])
      scope.abort()
      await clock.elapse(0)
      expect(clock.timers.list()).toEqual([])
    }))
})

describe('stopping by a signal', () => {
  const stopIn = ({
    clock,
  }: World): { scope: Scope; controller: AbortController; stop: Stop & SignalStop } => {
    const scope = new Scope('root', { clock })
    const controller = new AbortController()
    return { scope, controller, stop: new SignalStop(controller.signal, scope) }
  }

  it('rejects every wait at once with the reason of the signal', () =>
    inVirtualTime(async (world) => {
      const { scope, controller, stop } = stopIn(world)
      const waiting = [1, 2, 3].map(() => expect(stop.until(never())).rejects.toBe('enough'))
      expect(await stop.until(Promise.resolve(1))).toBe(1)
      await expect(stop.until(Promise.reject(new Error('own')))).rejects.toThrow('own')
      controller.abort('enough')
      await Promise.all(waiting)
      await expect(stop.until(Promise.resolve(1))).rejects.toBe('enough')
      await expect(stop.until(Promise.reject(new Error('own')))).rejects.toBe('enough')
      stop.release()
      await scope.close()
    }))

  it('has one listener on the signal, and none once it was released', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      let listeners = 0
      const { signal } = new AbortController()
      const add = signal.addEventListener.bind(signal)
      const remove = signal.removeEventListener.bind(signal)
      signal.addEventListener = (...args: Parameters<typeof add>) => {
        listeners++
        add(...args)
      }
      signal.removeEventListener = (...args: Parameters<typeof remove>) => {
        listeners--
        remove(...args)
      }
      const stop = new SignalStop(signal, scope)
      for (let i = 0; i < 10; i++) await stop.until(Promise.resolve())
      expect(listeners).toBe(1)
      const waiting = expect(stop.until(never())).rejects.toThrow('the work has ended')
      stop.release()
      expect(listeners).toBe(0)
      await waiting
      await scope.close()
    }))
})
