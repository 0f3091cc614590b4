import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../testing/index.ts'
import { Scope, ScopeClosedError, type ScopeReport } from './index.ts'

const never = (): Promise<never> => new Promise(() => {})

/** Two errors, each the cause of the other. */
function circle(): Error {
  const one: Error = new Error('one')
  one.cause = new Error('two', { cause: one })
  return one
}

function outcomes(report: ScopeReport): Record<string, string> {
  const { tasks, steps } = report
  return Object.fromEntries(
    [...tasks, ...steps].map(({ name, outcome, at }) => [name, `${outcome} at ${at}`]),
  )
}

describe('a closing scope', () => {
  it('[SC8] cancels all tasks before it awaits any, and their finally blocks have run before the report', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', { clock })
      for (const name of ['one', 'two']) {
        scope.spawn(name, async ({ until, onCancel }) => {
          onCancel(() => log.push(`${name} cancelled at ${clock.now()}`))
          try {
            await until(never())
          } finally {
            await clock.elapse(200)
            log.push(`${name} unwound at ${clock.now()}`)
          }
        })
      }
      const report = await scope.close()
      log.push('report')
      expect(log).toEqual([
        'one cancelled at 0',
        'two cancelled at 0',
        'one unwound at 200',
        'two unwound at 200',
        'report',
      ])
      expect(report).toMatchObject({ clean: true, took: 200, totals: { cancelled: 2 } })
    }))

  it('[SC10] counts a task as cancelled only if its error stems from the cancel', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      const abortError = (cause: unknown): Error =>
        Object.assign(new Error('aborted', { cause }), { name: 'AbortError' })
      scope.spawn('the reason', ({ until }) => until(never()))
      scope.spawn('throwIfAborted', async ({ signal, until }) => {
        await until(never()).catch(() => {})
        signal.throwIfAborted()
      })
      scope.spawn('abort caused by it', ({ signal, until }) =>
        until(never()).catch(() => Promise.reject(abortError(signal.reason))),
      )
      scope.spawn('refused while unwinding', ({ until }) =>
        until(never()).catch(() => void scope.spawn('more', () => {})),
      )
      scope.spawn('another abort', ({ until }) =>
        until(never()).catch(() => Promise.reject(abortError('mine'))),
      )
      const answers: Record<string, unknown> = {
        axios: Object.assign(new Error('canceled'), { name: 'CanceledError', code: 'ERR_CANCELED' }),
        got: Object.assign(new Error('Promise was canceled'), { name: 'CancelError' }),
        'fetch of old': Object.assign(new Error('aborted'), { name: 'AbortError' }),
        'a DOMException': new DOMException('This operation was aborted', 'AbortError'),
        'an LLM SDK': new (class APIUserAbortError extends Error {})('Request was aborted.'),
        'a code alone': Object.assign(new Error('no'), { code: 'ABORT_ERR' }),
        wrapped: new Error('cannot look up', {
          cause: new Error('fetch failed', { cause: abortError(undefined) }),
        }),
        'all of several': new AggregateError([abortError(undefined), abortError(undefined)]),
      }
      const failures: Record<string, unknown> = {
        'words alone': new Error('canceled'),
        'not an error': { name: 'AbortError' },
        'one of several': new AggregateError([abortError(undefined), new Error('real')]),
        'none of several': new AggregateError([]),
        'a circle': circle(),
        'a getter that throws': Object.defineProperty(new Error('odd'), 'cause', {
          get() {
            throw new Error('no')
          },
        }),
      }
      for (const [name, error] of Object.entries({ ...answers, ...failures })) {
        scope.spawn(name, ({ until }) => until(never()).catch(() => Promise.reject(error as Error)))
      }
      const wrap = (cause: unknown): Error => new Error('cannot look up', { cause })
      scope.spawn('the reason, wrapped', ({ signal, until }) =>
        until(never()).catch(() => Promise.reject(wrap(wrap(signal.reason)))),
      )
      scope.spawn('an error', ({ until }) => until(never()).catch(() => Promise.reject(new Error('own'))))
      scope.spawn('no error', ({ until }) => until(never()).catch(() => 'fine'))
      const early = scope.spawn('before any cancel', () => Promise.reject(answers['axios'] as Error))
      await expect(early.result).rejects.toThrow('canceled')
      expect(early.outcome).toBe('failed')
      expect(outcomes(await scope.close())).toEqual({
        ...Object.fromEntries(Object.keys(answers).map((name) => [name, 'cancelled at 0'])),
        ...Object.fromEntries(Object.keys(failures).map((name) => [name, 'failed at 0'])),
        'the reason, wrapped': 'cancelled at 0',
        'the reason': 'cancelled at 0',
        throwIfAborted: 'cancelled at 0',
        'abort caused by it': 'cancelled at 0',
        'refused while unwinding': 'cancelled at 0',
        'another abort': 'failed at 0',
        'an error': 'failed at 0',
        'no error': 'ended at 0',
      })
    }))

  it('[SC3] cancels a task that was spawned into a child while closing began', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      const first = scope.child('first')
      const second = scope.child('second')
      first.own('hook', {
        close() {},
        abort() {},
        // The second child has not been notified yet: it still accepts a task, and must cancel it later.
        closing: () => void second.spawn('last minute', ({ until }) => until(never())),
      })
      const report = await scope.close()
      expect(report.children.map((child) => outcomes(child.report))).toEqual([
        { hook: 'done at 0' },
        { 'last minute': 'cancelled at 0' },
      ])
    }))

  it('[SC13] cancels a shielded task when its shield ends, and never moves the deadline', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock, closeTimeout: 2_000, reserve: 100 })
      scope.spawn('finishes', () => clock.elapse(300), { shield: 500 })
      scope.spawn('is cancelled', ({ until }) => until(never()), { shield: 600 })
      scope.spawn('asks too much', ({ until }) => until(never()), { shield: 60_000 })
      const report = await scope.close()
      expect(outcomes(report)).toEqual({
        finishes: 'ended at 300',
        'is cancelled': 'cancelled at 600',
        // Early enough to unwind before the budget ends.
        'asks too much': 'cancelled at 1800',
      })
      expect(report).toMatchObject({ clean: true, took: 1_800 })
    }))

  it('[SC13] shortens a shield when the deadline moves earlier', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock, closeTimeout: 10_000 })
      scope.spawn('shielded', ({ until }) => until(never()), { shield: 5_000 })
      const report = scope.close()
      await clock.elapse(100)
      scope.close({ closeTimeout: 1_000 }).catch(() => {})
      expect(await report).toMatchObject({ clean: true, took: 900 })
    }))

  it('[SC16] does not wait for the task that closed it, and gives that task the report', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      let seen: ScopeReport | undefined
      scope.spawn('goodbye', async ({ close }) => {
        seen = await close({ reason: 'said goodbye' })
      })
      const report = await scope.close()
      await clock.elapse(1)
      expect(seen).toBe(report)
      expect(report).toMatchObject({ clean: true, took: 0, reason: 'said goodbye' })
      expect(outcomes(report)).toEqual({ goodbye: 'closer at 0' })
    }))

  it('[SC16] lets the task that closed it shorten the deadline, and refuses one that was abandoned', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      const asked: Promise<unknown>[] = []
      scope.spawn('abandoned', async ({ close }) => {
        await clock.elapse(9_000)
        asked.push(close().catch((error: unknown) => error))
      })
      scope.spawn('impatient', async ({ close }) => {
        asked.push(close(), close({ closeTimeout: 500 }))
        await never()
      })
      const report = await scope.close()
      expect(report).toMatchObject({ closeTimeout: 500 })
      await clock.elapse(10_000)
      expect(await Promise.all(asked)).toEqual([report, report, expect.any(ScopeClosedError)])
    }))

  it('[SC16] does not wait for the task of a child that closed it', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock })
      scope.child('tool').spawn('hang up', async (context) => {
        await scope.close({ reason: 'tool', from: context })
      })
      expect(await scope.close()).toMatchObject({ clean: true, took: 0, reason: 'tool' })
    }))

  it('[SC16] is delayed by taskCap at most when a task awaits its own close, and names that task', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock, closeTimeout: 5_000, taskCap: 400 })
      scope.own('feed', { close() {}, abort() {} })
      scope.spawn('tangled', async () => {
        await scope.close()
      })
      const report = await scope.close()
      expect(outcomes(report)).toEqual({ tangled: 'abandoned at 4750', feed: 'done at 400' })
    }))
})
