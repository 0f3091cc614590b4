import { describe, expect, it } from 'vitest'
import type { WorkRunnerOptions } from '../../../src/host/index.ts'
import { never } from '../../../src/testing/never.ts'
import { HOUR, onStage, untilAborted } from './work-stage.ts'

describe('the close of a runner', () => {
  it('[HO18] lets handlers finish, and writes their outcome', () =>
    onStage(async (stage) => {
      stage.journal.add('c1:save')
      const runner = stage.start({ save: () => stage.clock.elapse(3_000) })
      await stage.clock.elapse(1_000)
      const report = await runner.close()
      expect([stage.clock.now(), report.clean]).toEqual([3_000, true])
      expect(stage.journal.work.get('c1:save')?.state).toBe('done')
      expect(stage.journal.calls.at(-1)).toBe('release host 1')
    }))

  it('[HO18] cancels handlers shortly before the deadline of the scope, and makes their work due for others', () =>
    onStage(async (stage) => {
      let reason: unknown
      stage.journal.add('c1:save')
      stage.journal.add('c2:save')
      stage.start({
        save: async (_, context) => {
          await untilAborted(context).catch((error: Error) => (reason = error.message))
          throw new Error('cut off')
        },
      })
      await stage.clock.elapse(1_000)
      const report = await stage.scope.close({ closeTimeout: 5_000 })
      expect(reason).toBe('this process ends: the work will be tried again by another')
      expect(stage.clock.now()).toBeGreaterThan(4_000)
      expect(stage.clock.now()).toBeLessThan(6_000)
      expect(report.clean).toBe(true)
      expect([...stage.journal.work.values()]).toMatchObject([
        { state: 'waiting', written: [] },
        { state: 'waiting', written: [] },
      ])
    }))

  it('[HO18] names handlers that ignore their signal, and does not wait for them', () =>
    onStage(async (stage) => {
      stage.journal.add('c1:save')
      const runner = stage.start({ save: () => never() })
      await stage.clock.elapse(1_000)
      const report = await runner.close({ closeTimeout: 5_000 })
      expect(report.took).toBeLessThan(5_000)
      expect(report.clean).toBe(false)
      expect(JSON.stringify(report)).toContain('1 after-call handlers ignore their signal')
      expect(stage.journal.work.get('c1:save')?.state).toBe('waiting')
    }))

  it.each(['claim', 'settle', 'renew', 'release'] as const)(
    '[HO18] is bounded if the journal does not answer %s',
    (method) =>
      onStage(async (stage) => {
        stage.journal.add('c1:save')
        stage.journal.silent.add(method)
        const runner = stage.start({ save: () => stage.clock.elapse(1_000) })
        await stage.clock.elapse(2_000)
        const report = await runner.close({ closeTimeout: 5_000 })
        expect(report.took).toBeLessThanOrEqual(5_000)
      }),
  )

  it('[HO18] claims nothing more and runs nothing more', () =>
    onStage(async (stage) => {
      let runs = 0
      const runner = stage.start({ save: () => void runs++ })
      const closed = runner.close()
      stage.journal.add('c1:save')
      runner.wake()
      await closed
      runner.wake()
      await stage.clock.elapse(HOUR)
      expect([runs, stage.journal.work.get('c1:save')?.state]).toEqual([0, 'waiting'])
    }))
})

describe('the options of a runner', () => {
  it.each<[options: Partial<WorkRunnerOptions>, message: string]>([
    [{ concurrency: 0 }, 'concurrency must be a whole number, 1 or more; it is 0'],
    [{ timeout: Number.NaN }, 'timeout must be a finite number of milliseconds'],
    [{ handlers: { 'with space': () => {} } }, "afterCall: the name 'with space' must be 1 to 64 letters"],
    [{ handlers: { ['x'.repeat(65)]: () => {} } }, 'must be 1 to 64 letters'],
    [{ handlers: { save: 'text' as never } }, "afterCall: 'save' must be a function"],
    [{ handlers: [() => {}] as never }, 'afterCall must be an object with a function per name'],
  ])('are checked: %o', (options, message) =>
    onStage(async (stage) => {
      expect(() => stage.start({ save: () => {} }, options)).toThrow(message)
    }),
  )
})
