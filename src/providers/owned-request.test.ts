import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { Scope } from '../scope/index.ts'
import { inVirtualTime } from '../testing/index.ts'
import { OwnedRequest } from './owned-request.ts'

const never = (): Promise<never> => new Promise(() => {})

describe('an owned request', () => {
  it("aborts with its caller's signal, and a pending wait rejects with the reason", () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('part', { clock })
      const caller = new AbortController()
      const request = new OwnedRequest('request', scope, caller.signal)
      const waiting = request.until(never())
      caller.abort('interrupted')
      expect(request.signal.reason).toBe('interrupted')
      await expect(waiting).rejects.toBe('interrupted')
      request.end()
    }))

  it('aborts synchronously when its scope starts to close', () =>
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

  it('that ends aborts its work, rejects a pending wait and leaves no listener behind', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('part', { clock })
      const caller = new AbortController()
      const request = new OwnedRequest('request', scope, caller.signal)
      const waiting = request.until(never())
      request.end()
      request.end()
      expect(request.signal.reason).toMatchObject({ code: 'CANCELLED', message: 'request has ended' })
      await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
      expect(getEventListeners(caller.signal, 'abort')).toEqual([])
      expect(scope.inspect().tree.owned).toEqual([])
    }))

  it("cannot start after its caller's signal has aborted, or in a closed scope", () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('part', { clock })
      expect(() => new OwnedRequest('request', scope, AbortSignal.abort('before'))).toThrow('before')
      expect(scope.inspect().tree.owned).toEqual([])
      await scope.close()
      const caller = new AbortController()
      expect(() => new OwnedRequest('request', scope, caller.signal)).toThrow('closing or closed')
      expect(getEventListeners(caller.signal, 'abort')).toEqual([])
    }))
})
