import { describe, expect, it } from 'vitest'
import { CancelToken } from './cancel.ts'
import { CancelledError } from './errors.ts'

const reason = new CancelledError('enough')
const rethrow = (error: unknown): never => {
  throw error
}

describe('CancelToken', () => {
  it('tells each listener once, with one reason; those who left are not told', () => {
    const token = new CancelToken()
    const told: string[] = []
    const listener = (): void => void told.push('twice registered')
    token.onCancel(listener)
    token.onCancel(listener)
    token.onCancel(() => told.push('gone'))()
    token.cancelWith(reason)
    token.cancelWith(new CancelledError('again'))
    expect(told).toEqual(['twice registered', 'twice registered'])
    expect([token.cancelled, token.reason]).toEqual([true, reason])
    token.onCancel((late) => told.push(`at once: ${late.message}`))
    expect(told.at(-1)).toBe('at once: enough')
  })

  it('one listener that throws keeps no other from being told', () => {
    const errors: unknown[] = []
    class Token extends CancelToken {
      protected override errorSink(): (error: unknown) => void {
        return (error) => errors.push(error)
      }
    }
    const token = new Token()
    const told: string[] = []
    token.onCancel(() => rethrow('bad'))
    token.onCancel(() => told.push('good'))
    token.cancelWith(reason)
    token.onCancel(() => rethrow('late'))
    expect([told, errors]).toEqual([['good'], ['bad', 'late']])
  })

  it('its signal carries the reason, whether it was asked for before or after', () => {
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

  it('until() gives what the promise gives', async () => {
    const token = new CancelToken()
    expect(await token.until(Promise.resolve(1))).toBe(1)
    await expect(token.until(Promise.reject(new Error('no')))).rejects.toThrow('no')
    token.throwIfCancelled()
  })

  it('until() throws the reason, and a promise that fails later disturbs nobody', async () => {
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
