import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../testing/index.ts'
import { Scope, ScopeClosedError, limits, type Late, type ScopeReport } from './index.ts'

const never = (): Promise<never> => new Promise(() => {})
const ends = { close() {}, abort() {} }

/** The two ways in which a callback fails. `inVirtualTime` fails on an unhandled rejection. */
const failures: [how: string, fail: (message: string) => never][] = [
  [
    'throws',
    (message) => {
      throw new Error(message)
    },
  ],
  ['rejects', (message) => Promise.reject(new Error(message)) as never],
]

function thenable(
  then: (resolve: (value: string) => void, reject: (error: unknown) => void) => void,
): PromiseLike<string> {
  return new Proxy({}, { get: (_, key) => (key === 'then' ? then : undefined) }) as PromiseLike<string>
}

const problemsOf = ({ problems }: ScopeReport): string[] =>
  problems.map(({ where, error }) => `${where}: ${error.message}`)

describe.each(failures)('a callback that %s', (_, fail) => {
  it('[SC19] as a timer callback is a problem, and the timer continues', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      scope.after(5, 'once', () => fail('once'))
      scope.every(4, 'beat', () => fail('beat'))
      await clock.elapse(9)
      expect(problemsOf(await scope.close())).toEqual([
        "timer 'beat': beat",
        "timer 'once': once",
        "timer 'beat': beat",
      ])
    }))

  it('[SC19] as closing(), abort() or inspect() of a resource does not disturb other resources', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', { clock, phases: ['first', 'last'] })
      scope.own(
        'rude',
        {
          close: never,
          abort: () => fail('abort'),
          closing: () => fail('closing'),
          inspect: () => fail('inspect'),
        },
        { phase: 'first', cap: 10 },
      )
      scope.own('good', { ...ends, close: () => clock.elapse(5).then(() => log.push('closed')) })
      expect(scope.inspect().tree.owned.map(({ status }) => status)).toEqual([undefined, undefined])
      expect(problemsOf(await scope.close())).toEqual([
        "closing() of 'rude': closing",
        "abort of 'rude': abort",
      ])
      expect(log).toEqual(['closed'])
    }))

  it('[SC19] as a listener of onCancel() or of the signal does not keep other listeners from being called', () =>
    inVirtualTime(async ({ clock }) => {
      const heard: string[] = []
      const scope = new Scope('root', { clock })
      scope.signal.addEventListener('abort', () => fail('scope'))
      scope.spawn('task', ({ until, onCancel, signal }) => {
        const removed = (): void => void heard.push('removed')
        onCancel(() => fail('onCancel'))
        signal.addEventListener('abort', () => fail('event'))
        signal.addEventListener('abort', { handleEvent: () => fail('object') })
        Reflect.set(signal, 'onabort', () => fail('onabort'))
        signal.addEventListener('abort', removed)
        signal.removeEventListener('abort', removed)
        signal.addEventListener('abort', () => heard.push('signal'), { once: true })
        onCancel(() => heard.push('onCancel'))
        return until(never()).catch(() => onCancel(() => fail('late')))
      })
      const problems = problemsOf(await scope.close())
      expect(heard).toEqual(['signal', 'onCancel'])
      expect(problems.toSorted()).toEqual([
        "cancel listener of 'task': event",
        "cancel listener of 'task': late",
        "cancel listener of 'task': object",
        "cancel listener of 'task': onCancel",
        "cancel listener of 'task': onabort",
        'listener of the closing scope: scope',
      ])
    }))

  it('[SC19] as onProblem, onLate or a listener of inspect() has no effect', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', {
        clock,
        closeTimeout: 10,
        onProblem: () => fail('onProblem'),
        onLate: () => fail('onLate'),
      })
      scope.inspect(() => fail('watcher'))
      scope.spawn('unseen', () => fail('unseen'))
      scope.spawn('deaf', () => clock.elapse(100))
      await clock.elapse(1)
      expect(problemsOf(await scope.close())).toEqual(["task 'unseen': unseen"])
      await clock.elapse(200)
    }))

  it('[SC19] as intercept fails what it was to replace, and leaves nothing behind', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock, intercept: () => fail('intercept') })
      const task = scope.spawn('task', () => expect.unreachable())
      await expect(task.result).rejects.toThrow()
      await expect(scope.open('resource', () => expect.unreachable())).rejects.toThrow()
      scope.own('feed', { ...ends, close: () => expect.unreachable() })
      scope.defer('flush', () => expect.unreachable())
      const { steps, tasks, took } = await scope.close()
      expect(steps.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual(['feed failed', 'flush failed'])
      expect([tasks, took]).toEqual([[], 0])
    }))

  it('[SC7] [SC19] as abort() of a resource that came too late leaves its owner with ScopeClosedError', () =>
    inVirtualTime(async ({ clock }) => {
      const late: Late[] = []
      const scope = new Scope('root', { clock, onLate: (one) => late.push(one) })
      const rude = { close() {}, abort: () => fail('abort') }
      scope.spawn('slow', ({ until }) => until(never()).catch(() => clock.elapse(100)))
      const opening = scope.open('opened', () => clock.elapse(10).then(() => rude))
      const refused = expect(opening).rejects.toBeInstanceOf(ScopeClosedError)
      const closing = scope.close()
      expect(() => scope.own('owned', rude)).toThrow(ScopeClosedError)
      await refused
      const report = await closing
      expect(problemsOf(report)).toEqual(["abort of 'owned': abort", "abort of 'opened': abort"])
      expect(report.tasks).toMatchObject([{ name: 'opened', outcome: 'cancelled' }, { name: 'slow' }])
      // The scope has closed, so there is no report left to name the error.
      expect(() => scope.own('last', { ...rude })).toThrow(ScopeClosedError)
      await clock.elapse(1)
      expect(late).toMatchObject([
        { scope: 'root', kind: 'problem', name: "abort of 'last'", error: { message: 'abort' } },
      ])
    }))
})

describe('an error that comes after the report', () => {
  it('[SC19] goes to onLate', () =>
    inVirtualTime(async ({ clock }) => {
      const late: Late[] = []
      const scope = new Scope('call', { clock, onLate: (one) => late.push(one) })
      const failLater = (): never => clock.elapse(50).then(() => Promise.reject(new Error('later'))) as never
      scope.after(1, 'poll', failLater)
      scope.own('feed', { close: never, abort: failLater }, { cap: 10 })
      await clock.elapse(1)
      expect(problemsOf(await scope.close())).toEqual([])
      await clock.elapse(100)
      expect(late.map(({ kind, name, outcome, at }) => `${kind} ${name} ${outcome} at ${at}`)).toEqual([
        "problem timer 'poll' failed at 50",
        "problem abort of 'feed' failed at 60",
      ])
    }))
})

describe('an onProblem that causes the next problem', () => {
  it.each(failures)('[SC19] cannot starve the event loop when the task %s', (_, fail) =>
    inVirtualTime(async ({ clock }) => {
      let calls = 0
      const again = (): void => {
        calls++
        if (scope.state === 'live') scope.spawn('again', () => fail('again'))
      }
      const scope: Scope = new Scope('root', { clock, onProblem: again })
      scope.spawn('first', () => fail('first'))
      // Resolves only if the microtask queue runs empty.
      await clock.elapse(0)
      const { problems, omitted } = await scope.close()
      expect(calls).toBeGreaterThanOrEqual(limits.burst)
      expect(calls).toBeLessThanOrEqual(2 * limits.burst + 1)
      expect(calls).toBe(problems.length + omitted)
    }),
  )
})

describe('a scope', () => {
  it('[SC19] survives thenables that break the rules, from tasks, resources, deferred work and until()', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock, closeTimeout: 100 })
      const twice = thenable((resolve, reject) => {
        resolve('first')
        reject(new Error('second'))
        throw new Error('third')
      })
      const broken = new Proxy(twice, {
        get() {
          throw new Error('no then')
        },
      })
      expect(await scope.spawn('twice', () => twice).result).toBe('first')
      await expect(scope.spawn('broken', () => broken).result).rejects.toThrow('no then')
      expect(await scope.until(twice)).toBe('first')
      await expect(scope.until(broken)).rejects.toThrow('no then')
      scope.own('twice', { abort() {}, close: () => twice })
      scope.own('broken', { abort() {}, close: () => broken })
      scope.defer('twice', () => twice)
      scope.defer('broken', () => broken)
      const { steps } = await scope.close()
      expect(steps.map(({ kind, name, outcome }) => `${kind} ${name} ${outcome}`).toSorted()).toEqual([
        'deferred broken failed',
        'deferred twice done',
        'resource broken failed',
        'resource twice done',
      ])
      await expect(scope.until(broken)).rejects.toThrow('closed')
    }))

  it('[SC2] accepts any value as reason, and its report stays plain JSON', () =>
    inVirtualTime(async ({ clock }) => {
      const error = new Error('the line broke')
      const scope = new Scope('root', { clock })
      const report = await scope.close({ reason: error as never, by: Object.create(null) as never })
      expect(report).toMatchObject({ reason: 'the line broke', by: 'a value that cannot be printed' })
      expect(Object.isFrozen(error)).toBe(false)
    }))

  it('[SC1] checks the options of open() before it calls the opener', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      expect(() => scope.open('feed', () => expect.unreachable(), { cap: -1 })).toThrow('cap must be')
      expect(await scope.close()).toMatchObject({ clean: true, took: 0 })
    }))

  it('[SC1] aborts a resource that it has no room for, because the caller of open() never gets it', () =>
    inVirtualTime(async ({ clock }) => {
      const { owned } = limits
      const changeable = limits as { owned: number }
      const scope = new Scope('root', { clock })
      let aborts = 0
      try {
        changeable.owned = 1
        const opening = scope.open('feed', () => ({ close() {}, abort: () => void aborts++ }))
        await expect(opening).rejects.toThrow('limit owned = 1')
      } finally {
        changeable.owned = owned
      }
      expect(aborts).toBe(1)
      await scope.close()
    }))
})
