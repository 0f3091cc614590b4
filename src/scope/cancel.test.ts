import { describe, expect, it } from 'vitest'
import { CancelToken } from './cancel.ts'
import { CancelledError } from './errors.ts'

const reason = new CancelledError('enough')
const rethrow = (error: unknown): never => {
  throw error
}

describe('CancelToken', () => {
  it('calls each listener once, with the same reason, and skips those that unsubscribed', () => {
    const token = new CancelToken()
    const calls: string[] = []
    const listener = (): void => void calls.push('twice registered')
    token.onCancel(listener)
    token.onCancel(listener)
    token.onCancel(() => calls.push('gone'))()
    token.cancelWith(reason)
    token.cancelWith(new CancelledError('again'))
    expect(calls).toEqual(['twice registered', 'twice registered'])
    expect([token.cancelled, token.reason]).toEqual([true, reason])
    token.onCancel((late) => calls.push(`at once: ${late.message}`))
    expect(calls.at(-1)).toBe('at once: enough')
  })

  it('calls every listener even if one throws', () => {
    const errors: unknown[] = []
    class Token extends CancelToken {
      protected override errorSink(): (error: unknown) => void {
        return (error) => errors.push(error)
      }
    }
    const token = new Token()
    const calls: string[] = []
    token.onCancel(() => rethrow('bad'))
    token.onCancel(() => calls.push('good'))
    token.cancelWith(reason)
    token.onCancel(() => rethrow('late'))
    expect([calls, errors]).toEqual([['good'], ['bad', 'late']])
  })

  it('has a signal with the reason, whether it is read before or after the cancel', () => {
    const before = new CancelToken()
    const { signal } = before
    expect(signal.aborted).toBe(false)
    before.cancelWith(reason)
    expect(signal.reason).toBe(reason)
    const after = new CancelToken()
    after.cancelWith(reason)
    expect(after.signal.reason).toBe(reason)
    expect(after.signal).toBe(after.signal)
  })

  it('until() settles like its promise', async () => {
    const token = new CancelToken()
    expect(await token.until(Promise.resolve(1))).toBe(1)
    await expect(token.until(Promise.reject(new Error('no')))).rejects.toThrow('no')
    token.throwIfCancelled()
  })

  it('until() rejects with the reason, and a later failure of its promise is not unhandled', async () => {
    const token = new CancelToken()
    let fail: (error: Error) => void = () => {}
    const waiting = token.until(new Promise((_, reject) => (fail = reject)))
    token.cancelWith(reason)
    fail(new Error('too late'))
    await expect(waiting).rejects.toBe(reason)
    await expect(token.until(Promise.reject(new Error('unseen')))).rejects.toBe(reason)
    expect(() => token.throwIfCancelled()).toThrow(reason)
  })
})
