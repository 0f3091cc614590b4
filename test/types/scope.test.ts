import { describe, expect, expectTypeOf, it } from 'vitest'

import { formatReport } from '../../src/report/index.ts'
import {
  Scope,
  type ScopeReport,
  type TaskContext,
  type TaskHandle,
  type Timer,
} from '../../src/scope/index.ts'

// These tests are checked by the compiler (`npm run check:types`). Their code never runs.
const types = (code: () => unknown): void => expect(code).toBeTypeOf('function')
declare const scope: Scope
declare const phased: Scope<'work' | 'links'>

describe('a scope', () => {
  it('gives tasks their result, and resources as they are', () =>
    types(async () => {
      expectTypeOf(scope.spawn('count', () => 7)).toEqualTypeOf<TaskHandle<number>>()
      expectTypeOf(scope.spawn('count', async () => 7)).toEqualTypeOf<TaskHandle<number>>()
      scope.spawn('task', (context) => expectTypeOf(context).toEqualTypeOf<TaskContext>())
      const socket = { send() {}, close() {}, abort() {} }
      expectTypeOf(await scope.open('socket', () => socket)).toEqualTypeOf<typeof socket>()
      expectTypeOf(scope.own('file', { fd: 3 }, { close() {}, abort() {} })).toEqualTypeOf<{ fd: number }>()
      // @ts-expect-error something that cannot be aborted needs its endings
      scope.own('file', { close() {} })
    }))

  it('knows its phases by name', () =>
    types(() => {
      phased.spawn('task', () => {}, { phase: 'work' })
      // @ts-expect-error no such phase
      phased.spawn('task', () => {}, { phase: 'lunch' })
      // @ts-expect-error phases are the scope's own
      scope.spawn('task', () => {}, { phase: 'work' })
    }))

  it('closes to a report that can be printed', () =>
    types(async () => {
      const report = await scope.close({ reason: 'done', by: 'test', closeTimeout: 100 })
      expectTypeOf(report).toEqualTypeOf<ScopeReport>()
      expectTypeOf(formatReport(report)).toEqualTypeOf<string>()
      expectTypeOf(scope.after(10, 'timer', () => {})).toEqualTypeOf<Timer>()
      // @ts-expect-error the old name
      await scope.close({ within: 100 })
      expectTypeOf(scope.abort('now')).toEqualTypeOf<void>()
    }))
})
