import { expect, it } from 'vitest'
import { Scope } from '../../scope/index.ts'
import type { SessionReport } from '../../session/index.ts'
import { inVirtualTime } from '../../testing/index.ts'
import { culpritsOf } from './culprit.ts'

it('culprits are sorted from what may still be running to what failed in the close, and a connection that was cut is listed only once', () =>
  inVirtualTime(async ({ clock }) => {
    const scope = new Scope('session', { clock, closeTimeout: 100 })
    const boom = (): never => {
      throw new Error('disk full')
    }
    scope.own('recorder', { close: boom, abort: () => {} })
    scope.own('vad', { close: () => new Promise(() => {}), abort: () => {} }, { cap: 10 })
    scope.own('stt', { close: () => new Promise(() => {}), abort: () => {} })
    scope.child('tool book').spawn('book', () => new Promise(() => {}))
    const connections = [
      { name: 'stt', how: 'aborted', retries: 0 },
      { name: 'line', how: 'dropped', retries: 0 },
      { name: 'tts', how: 'closed', retries: 0 },
    ] as const
    const errors = [{ where: 'llm', at: 5, error: { name: 'Error', message: 'overloaded' } }]
    const report = { scope: await scope.close(), connections, errors } as unknown as SessionReport
    expect(culpritsOf(report).map(({ name, outcome }) => [name, outcome])).toEqual([
      ['book', 'abandoned'],
      ['llm', 'problem'],
      ['stt', 'timed-out'],
      ['vad', 'timed-out'],
      ['recorder', 'failed'],
      ['line', 'dropped'],
    ])
    expect(culpritsOf(report)[0]).toMatchObject({ path: ['tool book'], took: expect.any(Number) })
    expect(culpritsOf(report)[4]).toMatchObject({ error: { message: 'disk full' } })
  }))
