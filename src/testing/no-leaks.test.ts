import { describe, expect, it } from 'vitest'
import { Registry, Scope, liveScopes, systemClock } from '../scope/index.ts'
import { LeakError, noLeaks } from './index.ts'

describe('noLeaks', () => {
  it('[SI3] names leftover scopes, timers and sockets, and where each was created', async () => {
    const sockets = new Registry()
    const check = noLeaks([liveScopes, systemClock.timers, sockets])
    check()
    const scope = new Scope('forgotten call')
    const timer = systemClock.after(60_000, 'reminder', () => {})
    sockets.add({ kind: 'socket', name: 'stt' })
    expect(check).toThrow(LeakError)
    const again = noLeaks([liveScopes, systemClock.timers, sockets])
    // A new check ignores what existed before it.
    again()
    timer.clear()
    await scope.close()
    const third = new Scope('second call')
    let message = ''
    try {
      check()
    } catch (error) {
      message = (error as LeakError).message
    }
    expect(message).toMatch(/scope 'second call'[\s\S]*no-leaks\.test\.ts:\d+/)
    expect(message).not.toContain('forgotten call')
    await third.close()
    check()
  })
})
