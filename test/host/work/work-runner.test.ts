import { describe, expect, it } from 'vitest'
import { RetryLater, Unrecoverable } from '../../../src/host/index.ts'
import { never } from '../../../src/testing/never.ts'
import { HOUR, WorkStage, onStage, untilAborted } from './work-stage.ts'

describe('after-call work', () => {
  it('[HO2] runs with the report of its call, its key and the number of the attempt', () =>
    onStage(async (stage) => {
      const seen: unknown[] = []
      stage.journal.add('c1:save', { trace: '00-1-2-01' })
      stage.start({
        save: (report, { signal, ...context }) =>
          seen.push({ report: report.id, aborted: signal.aborted, ...context }),
      })
      await stage.clock.elapse(1)
      expect(seen).toEqual([
        { report: 'c1', aborted: false, key: 'c1:save', call: 'c1', attempt: 1, trace: '00-1-2-01' },
      ])
      expect(stage.journal.work.get('c1:save')?.state).toBe('done')
      expect(stage.attempts).toEqual([
        { handler: 'save', call: 'c1', key: 'c1:save', attempt: 1, outcome: 'done' },
      ])
    }))

  it('[HO2] [HO17] is retried with backoff, under the same key, until it succeeds', () =>
    onStage(async (stage) => {
      const at: number[] = []
      stage.journal.add('c1:save')
      stage.start({
        save: (_, { attempt, key }) => {
          at.push(stage.clock.now())
          expect(key).toBe('c1:save')
          if (attempt < 6) throw new Error(`attempt ${attempt}`)
        },
      })
      await stage.clock.elapse(HOUR)
      expect(at).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500])
      expect(stage.journal.work.get('c1:save')).toMatchObject({ state: 'done', attempts: 6 })
      expect(stage.outcomes().at(-1)).toBe('c1:save done')
    }))

  it('[HO2] begins when something wakes the runner, and nothing polls', () =>
    onStage(async (stage) => {
      const runner = stage.start({ save: () => {} })
      await stage.clock.elapse(200_000)
      expect(stage.journal.calls).toEqual(['claim 8'])
      stage.journal.add('c1:save')
      runner.wake()
      await stage.clock.elapse(1)
      expect(stage.outcomes()).toEqual(['c1:save done'])
    }))

  it('[HO2] is done by another process, under the same key, after its own was killed', () =>
    onStage(async (stage) => {
      const seen: string[] = []
      stage.journal.add('c1:save')
      const killed = new WorkStage(stage.clock, stage.journal)
      killed.start(
        { save: (_, { key, attempt }) => (seen.push(`${key} ${attempt}`), never()) },
        { owner: 'killed' },
      )
      await stage.clock.elapse(5_000)
      // Like kill -9: nothing is released.
      killed.scope.abort()
      stage.start({ save: (_, { key, attempt }) => void seen.push(`${key} ${attempt}`) })
      await stage.clock.elapse(60_000)
      expect(seen).toEqual(['c1:save 1', 'c1:save 2'])
      expect(stage.outcomes()).toEqual(['c1:save done'])
      expect(stage.journal.calls).not.toContain('release killed')
    }))

  it('[HO16] runs with bounded concurrency, and all of it runs', () =>
    onStage(async (stage) => {
      let running = 0
      let most = 0
      for (let call = 0; call < 50; call++) stage.journal.add(`c${call}:save`)
      stage.start(
        {
          save: async () => {
            most = Math.max(most, ++running)
            await stage.clock.elapse(1_000)
            running--
          },
        },
        { concurrency: 4 },
      )
      await stage.clock.elapse(13_100)
      expect(most).toBe(4)
      expect(stage.outcomes()).toHaveLength(50)
    }))

  it.each<[what: string, handler: () => unknown, error: string]>([
    ['throws', () => fail(new TypeError('no x')), 'TypeError: no x'],
    ['rejects', async () => fail(new Error('later')), 'Error: later'],
    ['throws undefined', () => fail(undefined), 'thrown: undefined'],
    [
      'throws an object without a prototype',
      () => fail(Object.create(null)),
      'thrown: a value that cannot be printed',
    ],
    [
      'returns a thenable that throws',
      () => new Proxy({}, { get: () => () => fail(new Error('then')) }),
      'Error: then',
    ],
    ['throws an error with a key in it', () => fail(new Error('Bearer abcdef123456')), 'Error: Bearer ***'],
    ['throws a long error', () => fail(new Error('x'.repeat(9_999))), `Error: ${'x'.repeat(492)}…`],
  ])('[HO16] affects nothing else if its handler %s', (_, handler, error) =>
    onStage(async (stage) => {
      stage.journal.add('c1:bad', { handler: 'bad' })
      stage.journal.add('c1:save')
      stage.start({ bad: handler, save: () => {} })
      await stage.clock.elapse(1)
      expect(stage.journal.work.get('c1:save')?.state).toBe('done')
      expect(stage.journal.work.get('c1:bad')).toMatchObject({ state: 'waiting', error })
    }),
  )

  it('[HO16] is cancelled after its timeout and counts as failed, even if the handler ignores its signal', () =>
    onStage(async (stage) => {
      const reasons: unknown[] = []
      stage.journal.add('c1:deaf', { handler: 'deaf' })
      stage.journal.add('c1:polite', { handler: 'polite' })
      const runner = stage.start({
        deaf: (_, { attempt }) => (attempt === 1 ? never() : undefined),
        polite: async (_, context) => {
          if (context.attempt > 1) return
          await untilAborted(context).catch((error: unknown) => {
            reasons.push(error)
            throw error
          })
        },
      })
      await stage.clock.elapse(60_100)
      expect(reasons).toMatchObject([{ name: 'AbortError', message: 'the time for this attempt is up' }])
      expect(stage.attempts).toMatchObject([
        { key: 'c1:polite', outcome: 'waiting', error: expect.stringContaining('AFTER_CALL_TIMEOUT') },
      ])
      expect(runner.status).toEqual({ running: 1, unwritten: 0, abandoned: 0 })
      await stage.clock.elapse(10_000)
      expect(stage.outcomes().toSorted()).toEqual([
        'c1:deaf done',
        'c1:deaf waiting',
        'c1:polite done',
        'c1:polite waiting',
      ])
      expect(runner.status).toEqual({ running: 0, unwritten: 0, abandoned: 1 })
    }))

  it('[HO17] is dead at once if its handler throws Unrecoverable, also that of another copy of endwell', () =>
    onStage(async (stage) => {
      stage.journal.add('c1:gone', { handler: 'gone' })
      stage.journal.add('c1:copy', { handler: 'copy' })
      stage.start({
        gone: () => fail(new Unrecoverable('the account was deleted')),
        copy: () => fail(Object.assign(new Error('elsewhere'), { code: 'UNRECOVERABLE' })),
      })
      await stage.clock.elapse(HOUR)
      expect(stage.journal.work.get('c1:gone')).toMatchObject({
        state: 'dead',
        attempts: 1,
        error: 'UNRECOVERABLE: the account was deleted',
      })
      expect(stage.journal.work.get('c1:copy')?.state).toBe('dead')
    }))

  it('[HO17] waits for as long as its handler asks for', () =>
    onStage(async (stage) => {
      const at: number[] = []
      stage.journal.add('c1:save')
      stage.start({
        save: (_, { attempt }) => {
          at.push(stage.clock.now())
          if (attempt === 1) throw new RetryLater('busy', 120_000)
        },
      })
      await stage.clock.elapse(HOUR)
      expect(at).toEqual([0, 120_000])
    }))

  it('[HO17] is given up after three days of failures, and kept as dead', () =>
    onStage(async (stage) => {
      let attempts = 0
      stage.journal.add('c1:save')
      stage.start({ save: () => fail(new Error(`attempt ${++attempts}`)) })
      await stage.clock.elapse(3 * 24 * HOUR)
      expect(stage.journal.work.get('c1:save')?.state).toBe('waiting')
      await stage.clock.elapse(2 * HOUR)
      expect(stage.journal.work.get('c1:save')).toMatchObject({
        state: 'dead',
        error: `Error: attempt ${attempts}`,
      })
      // With an average of half an hour between two attempts.
      expect(attempts).toBeGreaterThan(140)
      expect(attempts).toBeLessThan(170)
    }))

  it.each(['saveTranscript', 'constructor', '__proto__'])(
    '[HO17] whose handler is unknown waits, and is run once the handler exists: %s',
    (handler) =>
      onStage(async (stage) => {
        stage.journal.add('c1:work', { handler })
        const before = stage.start({ save: () => {} })
        await stage.clock.elapse(4 * 24 * HOUR)
        expect(stage.journal.work.get('c1:work')).toMatchObject({
          state: 'waiting',
          error: `NO_SUCH_HANDLER: the agent file has no after-call handler '${handler}'`,
        })
        await before.close()
        stage.start(Object.fromEntries([[handler, () => {}]]), { owner: 'host 2' })
        await stage.clock.elapse(HOUR)
        expect(stage.journal.work.get('c1:work')?.state).toBe('done')
      }),
  )
})

describe('the claim on after-call work', () => {
  it('[HO18] is renewed for as long as the handler runs', () =>
    onStage(async (stage) => {
      stage.journal.add('c1:save')
      stage.start({ save: () => stage.clock.elapse(50_000) })
      await stage.clock.elapse(55_000)
      expect(stage.journal.work.get('c1:save')).toMatchObject({ state: 'done', attempts: 1 })
      expect(stage.journal.calls.filter((call) => call === 'renew c1:save')).toHaveLength(4)
    }))

  it('[HO18] that was lost aborts the handler with a reason, and its outcome is not written', () =>
    onStage(async (stage) => {
      const reasons: string[] = []
      stage.journal.add('c1:save')
      stage.start({
        save: async (_, context) => {
          await untilAborted(context).catch((error: Error) => reasons.push(error.message))
        },
      })
      await stage.clock.elapse(1_000)
      stage.journal.steal('c1:save')
      await stage.clock.elapse(12_000)
      expect(reasons).toEqual([
        'another process has taken this work over: the outcome of this attempt is not written',
      ])
      expect(stage.journal.work.get('c1:save')).toMatchObject({
        state: 'running',
        owner: 'another',
        written: [],
      })
    }))

  it('[HO18] that was lost just before the outcome is written refuses the outcome', () =>
    onStage(async (stage) => {
      stage.journal.add('c1:save')
      stage.start({ save: () => stage.clock.elapse(5_000) })
      await stage.clock.elapse(1_000)
      stage.journal.steal('c1:save')
      await stage.clock.elapse(5_000)
      expect(stage.outcomes()).toEqual(['c1:save lost'])
      expect(stage.journal.work.get('c1:save')?.written).toEqual([])
    }))
})

describe('a journal that is unavailable', () => {
  it('[HO18] is asked again, and an outcome is kept until it is written', () =>
    onStage(async (stage) => {
      let runs = 0
      stage.journal.add('c1:save')
      const runner = stage.start({ save: () => void runs++ })
      for (const method of ['claim', 'renew', 'settle'] as const) stage.journal.broken.add(method)
      await stage.clock.elapse(1)
      expect(runs).toBe(0)
      stage.journal.broken.delete('claim')
      await stage.clock.elapse(10_000)
      expect([runs, runner.status.unwritten]).toEqual([1, 1])
      stage.journal.broken.clear()
      await stage.clock.elapse(30_000)
      expect([runs, runner.status.unwritten]).toEqual([1, 0])
      expect(stage.outcomes()).toEqual(['c1:save done'])
    }))

  it('[HO18] for longer than the lease does not make work run twice in the same process', () =>
    onStage(async (stage) => {
      let runs = 0
      stage.journal.add('c1:save')
      stage.start({ save: () => (runs++, stage.clock.elapse(20_000)) })
      await stage.clock.elapse(1_000)
      for (const method of ['claim', 'renew', 'settle'] as const) stage.journal.broken.add(method)
      await stage.clock.elapse(120_000)
      stage.journal.broken.clear()
      await stage.clock.elapse(60_000)
      expect([runs, stage.outcomes()]).toEqual([1, ['c1:save done']])
    }))

  it('[HO18] does not answer: each call is limited, and so is the number of calls that hang', () =>
    onStage(async (stage) => {
      stage.journal.silent.add('claim')
      stage.start({ save: () => {} })
      await stage.clock.elapse(HOUR)
      expect(stage.journal.calls).toHaveLength(20)
      expect(stage.log).toContain('the journal failed and is asked again')
    }))
})

function fail(error: unknown): never {
  throw error
}
