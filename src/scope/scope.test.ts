import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../testing/index.ts'
import { CancelledError, Scope, ScopeClosedError, liveScopes, type Late, type ScopeReport } from './index.ts'

const never = (): Promise<never> => new Promise(() => {})
const polite = { close() {}, abort() {} }

describe('a scope', () => {
  it('[SC1] owns tasks, resources, timers, deferred work and child scopes', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      scope.spawn('task', ({ until }) => until(never()))
      await scope.open('resource', () => ({ ...polite }))
      scope.after(10, 'timer', () => {})
      scope.defer('deferred', () => {})
      scope.child('child').spawn('inner', ({ until }) => until(never()))
      const { tree } = scope.inspect()
      expect(tree.owned.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
        'task task',
        'timer timer',
        'resource resource',
        'deferred deferred',
      ])
      expect(tree.children[0]?.owned.map(({ name }) => name)).toEqual(['inner'])
      await scope.close()
      expect(scope.inspect().tree).toMatchObject({ state: 'closed', owned: [], children: [] })
    }))

  it('[SC1] reports the failure of a task as a problem, unless its result is observed', () =>
    inVirtualTime(async ({ clock }) => {
      const problems: string[] = []
      const scope = new Scope('root', { clock, onProblem: ({ where }) => problems.push(where) })
      scope.spawn('unseen', () => Promise.reject(new Error('lost')))
      const seen = scope.spawn('seen', () => Promise.reject(new Error('handled')))
      await expect(seen.result).rejects.toThrow('handled')
      expect(problems).toEqual(["task 'unseen'"])
      const report = await scope.close()
      expect(report.problems).toMatchObject([{ where: "task 'unseen'", error: { message: 'lost' } }])
      expect(report.clean).toBe(false)
      expect(report.totals).toMatchObject({ failed: 2 })
    }))

  it('runs a task and returns its value, a synchronous one at once', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      const quick = scope.spawn('quick', () => 42)
      expect(quick.outcome).toBe('ended')
      expect(await quick.result).toBe(42)
      expect(await scope.spawn('slow', async ({ sleep }) => sleep(5).then(() => 'done')).result).toBe('done')
    }))

  it('stays open when one task is cancelled', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      const task = scope.spawn('poll', ({ until }) => until(never()))
      task.cancel('not needed')
      await expect(task.result).rejects.toThrow('not needed')
      expect(task.outcome).toBe('cancelled')
      expect(scope.state).toBe('live')
    }))

  it('can end one resource, and forget one that ended by itself', () =>
    inVirtualTime(async ({ clock }) => {
      const calls: string[] = []
      const scope = new Scope('root', { clock })
      const make = (name: string) => ({
        close: () => void calls.push(`close ${name}`),
        abort: () => void calls.push(`abort ${name}`),
      })
      const one = scope.own('one', make('one'))
      const two = scope.own('two', make('two'))
      await scope.end(one)
      scope.forget(two)
      // A forgotten resource can be owned again.
      scope.forget(scope.own('two', two))
      expect(calls).toEqual(['close one'])
      expect((await scope.close()).steps).toEqual([])
      expect(calls).toEqual(['close one'])
    }))

  it('aborts a resource that does not end in time, and reports it as a problem', () =>
    inVirtualTime(async ({ clock }) => {
      const calls: string[] = []
      const scope = new Scope('root', { clock })
      const stuck = scope.own('stuck', { close: never, abort: () => void calls.push('abort') })
      await scope.end(stuck, 100)
      expect(clock.now()).toBe(100)
      expect(calls).toEqual(['abort'])
      expect((await scope.close()).problems).toMatchObject([{ where: "end of 'stuck'" }])
    }))

  it('runs timers once or repeatedly until they are cleared, and reports one that throws', () =>
    inVirtualTime(async ({ clock }) => {
      const fired: string[] = []
      const scope = new Scope('root', { clock })
      scope.after(10, 'once', () => fired.push('once'))
      const beat = scope.every(4, 'beat', () => {
        fired.push('beat')
        if (fired.length === 2) throw new Error('missed')
      })
      await clock.elapse(13)
      beat.clear()
      await clock.elapse(20)
      expect(fired).toEqual(['beat', 'beat', 'once', 'beat'])
      expect((await scope.close()).problems).toMatchObject([{ where: "timer 'beat'" }])
    }))

  it('rejects until() with the reason as soon as it begins to close', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      const waiting = scope.until(never())
      const outcome = expect(waiting).rejects.toBeInstanceOf(CancelledError)
      await scope.close()
      await outcome
      expect(await scope.until(Promise.resolve(1)).catch((error: unknown) => error)).toBeInstanceOf(
        CancelledError,
      )
    }))
})

describe('ending a scope', () => {
  it('[SC2] close() resolves to a report, whatever its members do', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock, closeTimeout: 1_000 })
      scope.spawn('deaf', never)
      scope.spawn('rude', ({ until }) => until(never()).catch(() => Promise.reject(new Error('rude'))))
      scope.own('throws', {
        close() {
          throw new Error('no')
        },
        abort() {
          throw new Error('never')
        },
      })
      const report = await scope.close({ reason: 'done', by: 'test' })
      expect(report).toMatchObject({ name: 'root', reason: 'done', by: 'test', version: 1, clean: false })
      expect(JSON.parse(JSON.stringify(report))).toEqual(report)
    }))

  it('[SC2] abort() has ended everything when it returns, and never throws', () =>
    inVirtualTime(async ({ clock }) => {
      const calls: string[] = []
      const scope = new Scope('root', { clock })
      scope.spawn('deaf', never)
      scope.own('feed', {
        close: () => void calls.push('close'),
        abort() {
          calls.push('abort')
          throw new Error('even so')
        },
      })
      scope.child('child').own('inner', { close() {}, abort: () => void calls.push('abort inner') })
      expect(scope.abort('enough')).toBeUndefined()
      expect(scope.state).toBe('closed')
      expect(calls).toEqual(['abort inner', 'abort'])
      const report = await scope.close()
      expect(report).toMatchObject({ reason: 'enough', took: 0, clean: false })
      expect(report.steps).toMatchObject([{ name: 'feed', outcome: 'skipped', forced: true }])
      expect(report.tasks).toMatchObject([{ name: 'deaf', outcome: 'abandoned' }])
    }))

  it('[SC2] abort() during close() ends it at once, and close() during abort() returns the same report', () =>
    inVirtualTime(async ({ clock }) => {
      let inner: Promise<ScopeReport> | undefined
      const scope: Scope = new Scope('root', { clock })
      scope.own('feed', {
        close: never,
        abort() {
          inner = scope.close({ reason: 'from within abort' })
        },
      })
      const report = scope.close({ reason: 'first' })
      await clock.elapse(100)
      scope.abort('hurry')
      expect(clock.now()).toBe(100)
      expect(await report).toMatchObject({
        took: 100,
        reason: 'first',
        alsoAsked: [{ reason: 'hurry', at: 100 }, { reason: 'from within abort' }],
      })
      expect(await inner).toBe(await report)
    }))

  it('[SC3] close() has done everything synchronous when it returns', () =>
    inVirtualTime(async ({ clock }) => {
      const seen: string[] = []
      const scope = new Scope('root', { clock })
      const child = scope.child('child')
      scope.spawn('task', ({ until, onCancel }) => {
        onCancel(() => seen.push(`task cancelled in ${scope.state}`))
        return until(never())
      })
      child.spawn('inner', ({ until, onCancel, signal }) => {
        onCancel(() => seen.push(`inner cancelled in ${child.state}, signal ${signal.aborted}`))
        return until(never())
      })
      scope.own('feed', { ...polite, closing: () => void seen.push('feed notified') })
      child.own('deep', { ...polite, closing: () => void seen.push('deep notified') })
      const report = scope.close()
      expect(seen).toEqual([
        'deep notified',
        'feed notified',
        'inner cancelled in closing, signal true',
        'task cancelled in closing',
      ])
      expect([scope.state, child.state]).toEqual(['closing', 'closing'])
      expect(scope.signal.aborted).toBe(true)
      expect(() => scope.spawn('more', () => {})).toThrow(ScopeClosedError)
      expect(() => child.after(1, 'more', () => {})).toThrow(ScopeClosedError)
      expect((await report).clean).toBe(true)
    }))

  it('[SC5] every caller of close() gets the same frozen report, which lists later requests', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      scope.spawn('deaf', never)
      const one = scope.close({ reason: 'one' })
      const two = scope.close({ reason: 'two', by: 'ops' })
      const report = await one
      expect(await two).toBe(report)
      expect(await scope.close({ reason: 'three' })).toBe(report)
      expect(report.alsoAsked).toEqual([{ reason: 'two', by: 'ops', at: 0 }])
      expect(Object.isFrozen(report)).toBe(true)
      expect(Object.isFrozen(report.tasks[0])).toBe(true)
    }))

  it('[SC5] an empty scope closes like any other', () =>
    inVirtualTime(async ({ clock }) => {
      const report = await new Scope('empty', { clock }).close()
      expect(report).toMatchObject({ clean: true, took: 0, steps: [], tasks: [], children: [] })
    }))

  it('[SC15] [SC17] the registries name what is live, and are empty after the close', () =>
    inVirtualTime(async ({ clock }) => {
      const before = liveScopes.size
      const scope = new Scope('root', { clock })
      scope.after(1_000, 'reminder', () => {})
      scope.spawn('nap', ({ sleep }) => sleep(5_000))
      expect(clock.timers.list().map(({ name }) => name)).toEqual(['reminder', "sleep of 'nap'"])
      expect(liveScopes.list().map(({ name }) => name)).toContain('root')
      await scope.close()
      expect(clock.timers.list()).toEqual([])
      expect(liveScopes.size).toBe(before)
    }))

  it('`await using` closes at the end of the block', () =>
    inVirtualTime(async ({ clock }) => {
      const calls: string[] = []
      {
        await using scope = new Scope('block', { clock })
        scope.own('file', { close: () => void calls.push('closed'), abort() {} })
        calls.push('body')
      }
      expect(calls).toEqual(['body', 'closed'])
    }))
})

describe('a late outcome', () => {
  it('[SC9] of an abandoned task goes to onLate once, and the context of the task is revoked', () =>
    inVirtualTime(async ({ clock }) => {
      const late: Late[] = []
      const scope = new Scope('call', { clock, closeTimeout: 1_000, onLate: (one) => late.push(one) })
      let refused: unknown
      const task = scope.child('tool').spawn('lookup', async (context) => {
        await clock.elapse(3_000)
        try {
          context.scope.spawn('more', () => {})
        } catch (error) {
          refused = error
        }
        throw new Error('too late')
      })
      const result = expect(task.result).rejects.toBeInstanceOf(ScopeClosedError)
      const report = await scope.close()
      await result
      expect(report.children[0]?.report.tasks).toMatchObject([{ name: 'lookup', outcome: 'abandoned' }])
      expect(late).toEqual([])
      await clock.elapse(5_000)
      expect(late).toMatchObject([
        {
          scope: 'call/tool',
          name: 'lookup',
          kind: 'task',
          outcome: 'failed',
          error: { message: 'too late' },
          at: 3_000,
        },
      ])
      expect(refused).toBeInstanceOf(ScopeClosedError)
    }))

  it('[SC9] does no harm if onLate throws', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', {
        clock,
        closeTimeout: 10,
        onLate() {
          throw new Error('broken listener')
        },
      })
      scope.spawn('deaf', () => clock.elapse(100))
      await scope.close()
      await clock.elapse(200)
    }))
})
