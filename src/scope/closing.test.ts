import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../testing/index.ts'
import { Scope, type ScopeReport } from './index.ts'

const never = (): Promise<never> => new Promise(() => {})

/** A resource that logs the calls of its methods. */
function recorder(log: string[], name: string, close: () => unknown = () => {}) {
  return {
    close: () => {
      log.push(`close ${name}`)
      return close() as Promise<unknown>
    },
    abort: () => void log.push(`abort ${name}`),
  }
}

function outcomes(report: ScopeReport): Record<string, string> {
  const { tasks, steps } = report
  return Object.fromEntries(
    [...tasks, ...steps].map(({ name, outcome, at }) => [name, `${outcome} at ${at}`]),
  )
}

describe('the deadline of a close', () => {
  it('[SC4] is fixed by the first request; a later one can move it earlier, never later', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      scope.spawn('deaf', never)
      const report = scope.close({ closeTimeout: 3_000 })
      await clock.elapse(500)
      scope.close({ closeTimeout: 60_000 }).catch(() => {})
      scope.close({ closeTimeout: 1_000 }).catch(() => {})
      expect(await report).toMatchObject({ closeTimeout: 1_500 })
      expect(clock.now()).toBeLessThanOrEqual(1_500)
      expect(clock.now()).toBeGreaterThan(1_300)
    }))

  it.each([Number.NaN, Infinity, -Infinity])('[SC4] ignores a closeTimeout of %d', (closeTimeout) =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock, closeTimeout: 1_000 })
      scope.spawn('deaf', never)
      const report = scope.close({ closeTimeout })
      scope.close({ closeTimeout }).catch(() => {})
      expect(await report).toMatchObject({ closeTimeout: 1_000, took: 900 })
    }),
  )

  it("[SC4] of a child is the earlier of its own and its parent's", () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock, closeTimeout: 2_000, reserve: 100 })
      const patient = scope.child('patient', { closeTimeout: 60_000 })
      const hasty = scope.child('hasty', { closeTimeout: 500 })
      patient.spawn('deaf', never)
      hasty.spawn('deaf', never)
      const report = await scope.close()
      const [first, second] = report.children.map((child) => child.report)
      expect(first).toMatchObject({ name: 'hasty', took: 450, closeTimeout: 500 })
      expect(second).toMatchObject({ name: 'patient', took: 1_900, closeTimeout: 2_000 })
    }))

  it('[SC4] of a child counts from the moment its phase begins', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock, closeTimeout: 4_000, taskCap: 1_000 })
      scope.spawn('slow', () => clock.elapse(700))
      const child = scope.child('child', { phase: 'resources', closeTimeout: 500 })
      child.own('feed', { close: () => clock.elapse(300), abort() {} })
      const report = await scope.close()
      expect(report.clean).toBe(true)
      expect(report.children).toMatchObject([{ at: 700, report: { took: 1_000, clean: true } }])
    }))

  it('[SC4] of a closing child moves earlier when its parent is closed', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock, closeTimeout: 1_000 })
      const child = scope.child('child', { closeTimeout: 30_000 })
      child.spawn('deaf', never)
      const inner = child.close()
      await clock.elapse(200)
      const outer = await scope.close()
      expect(await inner).toBe(outer.children[0]?.report)
      expect(await inner).toMatchObject({ closeTimeout: 1_200 })
      expect(clock.now()).toBeLessThanOrEqual(1_200)
    }))

  it('[SC12] of 0 ms still lets prompt members end well, and cuts the rest', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', { clock })
      scope.spawn('prompt', ({ until }) => until(never()))
      scope.spawn('deaf', never)
      scope.own('quick', recorder(log, 'quick'))
      scope.own('slow', recorder(log, 'slow', never))
      const report = await scope.close({ closeTimeout: 0 })
      expect(report.took).toBe(0)
      expect(outcomes(report)).toEqual({
        prompt: 'cancelled at 0',
        deaf: 'abandoned at 0',
        quick: 'done at 0',
        slow: 'timed-out at 0',
      })
      expect(log).toEqual(['close quick', 'close slow', 'abort slow'])
    }))

  it('[SC12] ends the close at once when the clock jumps past it', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', { clock, closeTimeout: 1_000 })
      scope.spawn('deaf', never)
      scope.own('feed', recorder(log, 'feed', never))
      const report = scope.close()
      await clock.elapse(10)
      clock.jump(3_600_000)
      expect(await report).toMatchObject({ clean: false, closeTimeout: 1_000 })
      expect(clock.now()).toBe(3_600_010)
      expect(log.at(-1)).toBe('abort feed')
    }))
})

describe('the phases of a close', () => {
  const phases = ['work', 'links', 'files'] as const

  it('[SC11] run in order, their members in parallel', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const note = (name: string, ms: number) => ({
        close: async () => {
          log.push(`${name} ${clock.now()}`)
          await clock.elapse(ms)
        },
        abort() {},
      })
      const scope = new Scope('root', { clock, phases })
      scope.own('file', note('file', 10), { phase: 'files' })
      scope.own('stt', note('stt', 30), { phase: 'links' })
      scope.own('tts', note('tts', 50), { phase: 'links' })
      scope.spawn('loop', ({ until }) => until(never()).catch(() => clock.elapse(20)))
      const report = await scope.close()
      expect(log).toEqual(['stt 20', 'tts 20', 'file 70'])
      expect(report).toMatchObject({ clean: true, took: 80 })
      expect(report.steps.map(({ name, phase }) => `${phase}/${name}`)).toEqual([
        'links/stt',
        'links/tts',
        'files/file',
      ])
    }))

  it('[SC11] all run, even if a step throws or takes too long', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', { clock, phases, closeTimeout: 1_000, reserve: 100 })
      scope.own(
        'throws',
        recorder(log, 'throws', () => Promise.reject(new Error('no'))),
        { phase: 'work' },
      )
      scope.own('hangs', recorder(log, 'hangs', never), { phase: 'links' })
      scope.own('file', recorder(log, 'file'), { phase: 'files' })
      expect(outcomes(await scope.close())).toEqual({
        throws: 'failed at 0',
        hangs: 'timed-out at 0',
        file: 'done at 450',
      })
      expect(log).toEqual(['close throws', 'abort throws', 'close hangs', 'abort hangs', 'close file'])
    }))

  it('[SC11] survive a step that closes a sibling, or the scope itself', () =>
    inVirtualTime(async ({ clock }) => {
      const scope: Scope = new Scope('root', { clock })
      const child = scope.child('child', { phase: 'resources' })
      child.own('inner', { close: () => clock.elapse(20), abort() {} })
      scope.own('feed', { close: () => child.close(), abort() {} })
      scope.own('tangled', { close: () => scope.close(), abort() {} }, { cap: 200 })
      const report = await scope.close()
      expect(outcomes(report)).toEqual({ feed: 'done at 0', tangled: 'timed-out at 0' })
      expect(report.took).toBe(200)
    }))

  it('[SC12] get equal shares of the budget, whatever caps their steps have', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', { clock, phases, closeTimeout: 1_000, reserve: 100 })
      for (const phase of phases) scope.own(phase, recorder(log, phase, never), { phase, cap: 60_000 })
      const report = await scope.close()
      expect(outcomes(report)).toEqual({
        work: 'timed-out at 0',
        links: 'timed-out at 300',
        files: 'timed-out at 600',
      })
      expect(report.took).toBe(900)
    }))

  it('[SC12] get equal shares of what is left when a later request moves the deadline', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', { clock, phases, closeTimeout: 9_000, reserve: 100 })
      for (const phase of phases) scope.own(phase, recorder(log, phase, never), { phase, cap: 60_000 })
      clock.happen(100, 'hurry', () => void scope.close({ closeTimeout: 1_000 }).catch(() => {}))
      const report = await scope.close()
      expect(outcomes(report)).toEqual({
        work: 'timed-out at 0',
        links: 'timed-out at 400',
        files: 'timed-out at 700',
      })
      expect(report.took).toBe(1_000)
    }))

  it('[SC12] wait for earlier tasks for taskCap only, and those tasks are awaited until the budget ends', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', { clock, taskCap: 300 })
      scope.spawn('slow', ({ until }) => until(never()).catch(() => clock.elapse(2_000)))
      scope.own('feed', recorder(log, 'feed'))
      const report = await scope.close()
      expect(outcomes(report)).toEqual({ slow: 'ended at 2000', feed: 'done at 300' })
      expect(report).toMatchObject({ clean: true, took: 2_000 })
    }))

  it('[SC14] leave unfinished deferred work to the background, for releaseTimeout at most', () =>
    inVirtualTime(async ({ clock }) => {
      const late: string[] = []
      const scope = new Scope('root', {
        clock,
        closeTimeout: 1_000,
        releaseTimeout: 2_000,
        onLate: ({ name, outcome, at }) => late.push(`${name} ${outcome} at ${at}`),
      })
      let aborted = false
      scope.defer('quick', () => clock.elapse(10))
      scope.defer('flush', () => clock.elapse(1_500))
      scope.defer('stuck', (signal) => {
        signal.addEventListener('abort', () => (aborted = true))
        return never()
      })
      const report = await scope.close()
      expect(outcomes(report)).toEqual({ quick: 'done at 0', flush: 'pending at 0', stuck: 'pending at 0' })
      expect(clock.timers.list().map(({ name }) => name)).toEqual([
        "release of 'flush'",
        "release of 'stuck'",
      ])
      await scope.released
      expect(late).toEqual(['flush ended at 1500', 'stuck timed-out at 2900'])
      expect(aborted).toBe(true)
    }))

  it('[SC14] start deferred work in the background if it had no time to begin', () =>
    inVirtualTime(async ({ clock }) => {
      const late: string[] = []
      const scope = new Scope('root', {
        clock,
        onLate: ({ name, outcome }) => late.push(`${name} ${outcome}`),
      })
      let saved = false
      scope.defer('save', async () => {
        await clock.elapse(5)
        saved = true
      })
      scope.abort()
      expect((await scope.close()).steps).toMatchObject([{ name: 'save', outcome: 'pending' }])
      await scope.released
      expect([saved, late]).toEqual([true, ['save ended']])
    }))

  it('skip deferred work that was revoked', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      const revoke = scope.defer('save', () => expect.unreachable())
      revoke()
      expect((await scope.close()).steps).toEqual([])
    }))
})
