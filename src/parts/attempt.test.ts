import { describe, expect, it } from 'vitest'
import { Scope } from '../scope/index.ts'
import { inVirtualTime } from '../testing/index.ts'
import { Attempt } from './attempt.ts'

describe('an attempt', () => {
  it('is aborted when it has not begun in time', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      const attempt = new Attempt('opening it', [], scope, 100)
      await expect(attempt.stop.until(new Promise(() => {}))).rejects.toMatchObject({
        code: 'PART_TIMEOUT',
        message: 'opening it took longer than 100 ms: raise the limit, or use a faster model',
      })
      expect(clock.now()).toBe(100)
      attempt.end()
    }))

  it('has no timeout once it has begun, even if it is paused and resumed', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      const attempt = new Attempt('opening it', [], scope, 100)
      attempt.began()
      attempt.pause()
      attempt.resume()
      expect(clock.timers.list()).toEqual([])
      attempt.end()
    }))

  it('has its full timeout again after each pause, and only one timer', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      const attempt = new Attempt('opening it', [], scope, 100)
      await clock.elapse(90)
      attempt.pause()
      await clock.elapse(500)
      attempt.resume()
      attempt.resume()
      expect(clock.timers.size).toBe(1)
      await clock.elapse(99)
      expect(attempt.signal.aborted).toBe(false)
      await clock.elapse(2)
      expect(attempt.signal.aborted).toBe(true)
      attempt.resume()
      attempt.end()
      expect(clock.timers.list()).toEqual([])
    }))

  it('is aborted by any of the outer signals, even one that aborted before, and leaves no timer', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      const [one, two] = [new AbortController(), new AbortController()]
      const attempt = new Attempt('opening it', [one.signal, two.signal], scope, 100)
      two.abort('enough')
      expect(attempt.signal.reason).toBe('enough')
      expect(clock.timers.list()).toEqual([])
      const late = new Attempt('opening it', [one.signal, two.signal], scope, 100)
      expect(late.signal.reason).toBe('enough')
      expect(clock.timers.list()).toEqual([])
      const ended = new Attempt('opening it', [one.signal], scope, 100)
      ended.end()
      one.abort('too late')
      expect(ended.signal.aborted).toBe(false)
      expect(clock.timers.list()).toEqual([])
      attempt.end()
      late.end()
    }))
})
