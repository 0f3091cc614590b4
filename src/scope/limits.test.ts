import { describe, expect, it } from 'vitest'
import { inVirtualTime, type World } from '../testing/index.ts'
import { Scope, ScopeClosedError, limits } from './index.ts'

const never = (): Promise<never> => new Promise(() => {})

describe('a scope', () => {
  it('[SC18] closes ten thousand children and keeps the report short', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      for (let count = 0; count < 10_000; count++) {
        scope.child(`child ${count}`).spawn('loop', ({ until }) => until(never()))
      }
      const report = await scope.close()
      expect(report.children).toHaveLength(limits.reported)
      expect(report).toMatchObject({ clean: true, omitted: 10_000 - limits.reported })
    }))

  it('[SC18] keeps unclean entries in the report first', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock, closeTimeout: 100 })
      for (let count = 0; count < 500; count++) scope.spawn(`polite ${count}`, ({ until }) => until(never()))
      scope.spawn('deaf', never)
      const report = await scope.close()
      expect(report.tasks).toHaveLength(limits.reported)
      expect(report.tasks.at(-1)).toMatchObject({ name: 'deaf', outcome: 'abandoned' })
      expect(report).toMatchObject({ omitted: 301, totals: { cancelled: 500, abandoned: 1 } })
    }))

  it('[SC18] counts problems and close requests beyond their limits', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      for (let count = 0; count < limits.reported + 3; count++)
        scope.spawn('bad', () => Promise.reject(new Error('no')))
      scope.spawn('slow', ({ until }) => until(never()).catch(() => clock.elapse(10)))
      await clock.elapse(1)
      const report = scope.close()
      for (let count = 0; count < limits.asks + 2; count++) scope.close().catch(() => {})
      expect((await report).problems).toHaveLength(limits.reported)
      expect(await report).toMatchObject({ omitted: 5, totals: { failed: limits.reported + 3 } })
    }))

  it('[SC18] refuses a tree that is too deep with the name of the limit', () =>
    inVirtualTime(async ({ clock }) => {
      const root = new Scope('root', { clock })
      const grow = (world: Pick<World, 'clock'>): void => {
        let scope: Scope = root
        for (;;) scope = scope.child(`at ${world.clock.now()}`)
      }
      expect(() => grow({ clock })).toThrow(/limit depth = 100/)
      expect((await root.close()).clean).toBe(true)
    }))

  it.each([
    [{ closeTimeout: Infinity }, /closeTimeout must be a finite number/],
    [{ reserve: -1 }, /reserve must be/],
    [{ taskCap: Number.NaN }, /taskCap must be/],
    [{ phases: [] }, /at least one phase/],
  ])('[SC18] refuses the options %o', (options, message) => {
    expect(() => new Scope('root', options)).toThrow(message)
  })

  it('refuses a phase that does not exist by its name', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope<string>('root', { clock, phases: ['a', 'b'] })
      expect(() => scope.spawn('task', () => {}, { phase: 'c' })).toThrow("has no phase 'c'; it has a, b")
    }))

  it('[SC7] refuses to spawn, schedule, defer, own or nest anything while it closes', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      scope.spawn('slow', ({ until }) => until(never()).catch(() => clock.elapse(10)))
      const report = scope.close()
      const attempts = [
        () => scope.spawn('task', () => {}),
        () => scope.after(1, 'timer', () => {}),
        () => scope.every(1, 'timer', () => {}),
        () => scope.defer('flush', () => {}),
        () => scope.child('child'),
      ]
      for (const attempt of attempts) expect(attempt).toThrow(ScopeClosedError)
      let aborted = 0
      expect(() => scope.own('late', { close() {}, abort: () => void aborted++ })).toThrow(ScopeClosedError)
      expect(aborted).toBe(1)
      await report
    }))
})
