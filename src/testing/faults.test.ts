import { describe, expect, it } from 'vitest'
import { Scope, type ScopeReport } from '../scope/index.ts'
import { Faults, inVirtualTime, type Fault, type World } from './index.ts'

/** Closes a scope that has one step of each kind and a fault in one of them. */
async function closeWith(
  world: World,
  step: string,
  fault: Fault,
): Promise<{ report: ScopeReport; faults: Faults }> {
  const { clock } = world
  const faults = new Faults((ms) => clock.elapse(ms)).set(step, fault)
  const scope = new Scope('call', { clock, closeTimeout: 1_000, reserve: 100, intercept: faults.intercept })
  scope.spawn('poll', ({ sleep }) => sleep(3_000))
  const opening = scope.open('feed', () => Promise.resolve({ close: () => clock.elapse(10), abort() {} }))
  opening.catch(() => {})
  scope.defer('flush', () => clock.elapse(10))
  await clock.elapse(100)
  const report = await scope.close()
  await scope.released
  return { report, faults }
}

function outcomeOf({ tasks, steps }: ScopeReport, kind: string): string | undefined {
  return [...tasks, ...steps].find((entry) => entry.kind === kind)?.outcome
}

describe('faults by name', () => {
  it('do not affect other steps', () =>
    inVirtualTime(async (world) => {
      const { report, faults } = await closeWith(world, 'close:another', 'hang')
      expect(report.clean).toBe(true)
      expect(faults.fired).toEqual([])
    }))

  it.each<[string, Fault, string, string]>([
    ['task:poll', 'hang', 'task', 'abandoned'],
    ['task:poll', 'ignore-signal', 'task', 'abandoned'],
    ['task:poll', { late: 300 }, 'task', 'cancelled'],
    ['task:poll', { late: 2_000 }, 'task', 'abandoned'],
    ['task:poll', { late: 300, fails: true }, 'task', 'failed'],
    ['open:feed', 'hang', 'opening', 'abandoned'],
    ['open:feed', { late: 500 }, 'opening', 'cancelled'],
    ['close:feed', 'hang', 'resource', 'timed-out'],
    ['close:feed', 'throw', 'resource', 'failed'],
    ['close:feed', 'reject', 'resource', 'failed'],
    ['close:feed', { late: 200 }, 'resource', 'done'],
    ['close:feed', { late: 2_000, fails: true }, 'resource', 'timed-out'],
    ['close:*', 'hang', 'resource', 'timed-out'],
    ['deferred:flush', 'hang', 'deferred', 'pending'],
    ['deferred:flush', 'throw', 'deferred', 'failed'],
    ['deferred:flush', { late: 5_000 }, 'deferred', 'pending'],
  ])('[SI2] change the outcome of %s: %o', (step, fault, kind, outcome) =>
    inVirtualTime(async (world) => {
      const { report, faults } = await closeWith(world, step, fault)
      expect(outcomeOf(report, kind)).toBe(outcome)
      expect(faults.fired).toHaveLength(1)
      expect(report.took).toBeLessThanOrEqual(1_000)
    }),
  )

  it('[SI2] apply to child scopes, and can be cleared', () =>
    inVirtualTime(async ({ clock }) => {
      const faults = new Faults((ms) => clock.elapse(ms)).set('task:work', 'throw')
      const scope = new Scope('call', { clock, intercept: faults.intercept })
      const child = scope.child('tool')
      expect(child.spawn('work', () => 1).outcome).toBe('failed')
      faults.clear('task:work')
      expect(child.spawn('work', () => 1).outcome).toBe('ended')
      await scope.close()
    }))
})
