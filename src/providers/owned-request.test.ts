import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { Scope } from '../scope/index.ts'
import { inVirtualTime } from '../testing/index.ts'
import { OwnedRequest } from './owned-request.ts'

const never = (): Promise<never> => new Promise(() => {})

describe('an owned request', () => {
  it('ends with its asker: the signal aborts, and whoever waits is told the reason', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('part', { clock })
      const asker = new AbortController()
      const request = new OwnedRequest('request', scope, asker.signal)
      const waiting = request.until(never())
      asker.abort('interrupted')
      expect(request.signal.reason).toBe('interrupted')
      await expect(waiting).rejects.toBe('interrupted')
      request.end()
    }))

  it('ends with its scope, before anything is waited for', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('part', { clock })
      const request = new OwnedRequest('request', scope, new AbortController().signal)
      const waiting = request.until(never())
      const closing = scope.close({ reason: 'hung up' })
      expect(request.signal.aborted).toBe(true)
      await expect(waiting).rejects.toThrow('hung up')
      expect((await closing).clean).toBe(true)
      request.end()
    }))

  it('leaves nothing behind at its end: what is under way is aborted, whoever waits is told', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('part', { clock })
      const asker = new AbortController()
      const request = new OwnedRequest('request', scope, asker.signal)
      const waiting = request.until(never())
      request.end()
      request.end()
      expect(request.signal.reason).toMatchObject({ code: 'CANCELLED', message: 'request is over' })
      await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
      expect(getEventListeners(asker.signal, 'abort')).toEqual([])
      expect(scope.inspect().tree.owned).toEqual([])
    }))

  it('cannot begin when its asker has gone, or in a scope that has closed', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('part', { clock })
      expect(() => new OwnedRequest('request', scope, AbortSignal.abort('before'))).toThrow('before')
      expect(scope.inspect().tree.owned).toEqual([])
      await scope.close()
      const asker = new AbortController()
      expect(() => new OwnedRequest('request', scope, asker.signal)).toThrow('closing or closed')
      expect(getEventListeners(asker.signal, 'abort')).toEqual([])
    }))
})
