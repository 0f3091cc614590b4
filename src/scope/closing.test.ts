import { describe, expect, it } from 'vitest'
import { inVirtualTime, type World } from '../testing/index.ts'
import { Scope, ScopeClosedError, limits, type ScopeReport } from './index.ts'

const never = (): Promise<never> => new Promise(() => {})

/** A resource that writes down what is done to it. */
function recorder(log: string[], name: string, close: () => unknown = () => {}) {
  return {
    close: () => {
      log.push(`close ${name}`)
      return close() as Promise<unknown>
    },
    abort: () => void log.push(`abort ${name}`),
  }
}

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

describe('the deadline', () => {
  it('[SC4] is fixed by the first ask; a later one may bring it nearer, never push it away', () =>
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

  it.each([Number.NaN, Infinity, -Infinity])(
    '[SC4] a time of %d is none: the deadline stays as it was',
    (closeTimeout) =>
      inVirtualTime(async ({ clock }) => {
        const scope = new Scope('root', { clock, closeTimeout: 1_000 })
        scope.spawn('deaf', never)
        const report = scope.close({ closeTimeout })
        scope.close({ closeTimeout }).catch(() => {})
        expect(await report).toMatchObject({ closeTimeout: 1_000, took: 900 })
      }),
  )

  it("[SC4] a child's deadline is the earlier of its own and its parent's", () =>
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

  it('[SC4] a child whose phase comes late counts its own time from then', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock, closeTimeout: 4_000, taskCap: 1_000 })
      scope.spawn('slow', () => clock.elapse(700))
      const child = scope.child('child', { phase: 'resources', closeTimeout: 500 })
      child.own('feed', { close: () => clock.elapse(300), abort() {} })
      const report = await scope.close()
      expect(report.clean).toBe(true)
      expect(report.children).toMatchObject([{ at: 700, report: { took: 1_000, clean: true } }])
    }))

  it('[SC4] a parent closed while a child is closing shortens it', () =>
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

  it('[SC12] a deadline of 0 still lets the prompt end well, and cuts the rest', () =>
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

  it('[SC12] a clock that leaps over the deadline ends the close at once, and one that leaps far does no harm', () =>
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

describe('cancelling', () => {
  it('[SC8] all are told before any is awaited, and their finally blocks have run before the report', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', { clock })
      for (const name of ['one', 'two']) {
        scope.spawn(name, async ({ until, onCancel }) => {
          onCancel(() => log.push(`${name} told at ${clock.now()}`))
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
        'one told at 0',
        'two told at 0',
        'one unwound at 200',
        'two unwound at 200',
        'report',
      ])
      expect(report).toMatchObject({ clean: true, took: 200, totals: { cancelled: 2 } })
    }))

  it('[SC10] only an error that answers the cancel counts as cancelled', () =>
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

  it('[SC3] a task spawned into a sibling while it is being closed is cancelled with it', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      const first = scope.child('first')
      const second = scope.child('second')
      first.own('hook', {
        close() {},
        abort() {},
        // The second child has not been told yet: it still accepts, and must not forget what it accepted.
        closing: () => void second.spawn('last minute', ({ until }) => until(never())),
      })
      const report = await scope.close()
      expect(report.children.map((child) => outcomes(child.report))).toEqual([
        { hook: 'done at 0' },
        { 'last minute': 'cancelled at 0' },
      ])
    }))

  it('[SC13] a shield delays the cancel, has its own cap, and never moves the deadline', () =>
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

  it('[SC13] a shield is cut when the deadline comes nearer', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock, closeTimeout: 10_000 })
      scope.spawn('shielded', ({ until }) => until(never()), { shield: 5_000 })
      const report = scope.close()
      await clock.elapse(100)
      scope.close({ closeTimeout: 1_000 }).catch(() => {})
      expect(await report).toMatchObject({ clean: true, took: 900 })
    }))

  it('[SC16] a task can close its own scope: nobody waits for it, and it gets the report', () =>
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

  it('[SC16] it may ask again, and bring the deadline nearer; abandoned, it is refused', () =>
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

  it('[SC16] a task of a child can close the parent without being waited for', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('call', { clock })
      scope.child('tool').spawn('hang up', async (context) => {
        await scope.close({ reason: 'tool', from: context })
      })
      expect(await scope.close()).toMatchObject({ clean: true, took: 0, reason: 'tool' })
    }))

  it('[SC16] a task that awaits the outer close() holds the others up for taskCap at most, and is named', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', { clock, closeTimeout: 5_000, taskCap: 400 })
      scope.own('feed', recorder(log, 'feed'))
      scope.spawn('tangled', async () => {
        await scope.close()
      })
      const report = await scope.close()
      expect(outcomes(report)).toEqual({ tangled: 'abandoned at 4750', feed: 'done at 400' })
    }))
})

describe('phases', () => {
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

  it('[SC11] a step that throws or overruns is recorded, and every later step still runs', () =>
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

  it('[SC11] a step may close a sibling, or the scope itself', () =>
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

  it('[SC12] no step can eat the budget: each phase has a fair share, whatever cap it names', () =>
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

  it('[SC12] tasks hold the later phases back for taskCap, and are awaited to the end of the budget', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', { clock, taskCap: 300 })
      scope.spawn('slow', ({ until }) => until(never()).catch(() => clock.elapse(2_000)))
      scope.own('feed', recorder(log, 'feed'))
      const report = await scope.close()
      expect(outcomes(report)).toEqual({ slow: 'ended at 2000', feed: 'done at 300' })
      expect(report).toMatchObject({ clean: true, took: 2_000 })
    }))

  it('[SC14] deferred work unfinished at the deadline goes on in the background, bounded', () =>
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

  it('[SC14] what had no time to begin begins behind the report', () =>
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

  it('deferred work can be called off', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      const callOff = scope.defer('save', () => expect.unreachable())
      callOff()
      expect((await scope.close()).steps).toEqual([])
    }))
})

describe('listeners', () => {
  it('one that throws disturbs nobody and is a problem in the report', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', { clock })
      const boom = (): never => {
        throw new Error('boom')
      }
      scope.spawn('task', ({ until, onCancel }) => {
        onCancel(boom)
        onCancel(() => log.push('told'))
        return until(never())
      })
      scope.own('feed', { close() {}, abort() {}, closing: boom })
      scope.own('bad abort', { close: never, abort: boom }, { cap: 10 })
      scope.inspect(boom)
      const report = await scope.close()
      expect(log).toEqual(['told'])
      expect(report.problems.map(({ where }) => where)).toEqual([
        "closing() of 'feed'",
        "cancel listener of 'task'",
        "abort of 'bad abort'",
      ])
      expect(report.clean).toBe(false)
    }))
})

describe('limits', () => {
  it('[SC18] ten thousand children close, and the report stays short', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      for (let count = 0; count < 10_000; count++) {
        scope.child(`child ${count}`).spawn('loop', ({ until }) => until(never()))
      }
      const report = await scope.close()
      expect(report.children).toHaveLength(limits.reported)
      expect(report).toMatchObject({ clean: true, omitted: 10_000 - limits.reported })
    }))

  it('[SC18] the unclean ones are kept first', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock, closeTimeout: 100 })
      for (let count = 0; count < 500; count++) scope.spawn(`polite ${count}`, ({ until }) => until(never()))
      scope.spawn('deaf', never)
      const report = await scope.close()
      expect(report.tasks).toHaveLength(limits.reported)
      expect(report.tasks.at(-1)).toMatchObject({ name: 'deaf', outcome: 'abandoned' })
      expect(report).toMatchObject({ omitted: 301, totals: { cancelled: 500, abandoned: 1 } })
    }))

  it('[SC18] problems and asks beyond the limit are counted', () =>
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

  it('[SC18] a tree too deep is refused with the name of the limit, not by a stack overflow', () =>
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
  ])('[SC18] no time is endless: %o is refused', (options, message) => {
    expect(() => new Scope('root', options)).toThrow(message)
  })

  it('a phase that does not exist is refused by name', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope<string>('root', { clock, phases: ['a', 'b'] })
      expect(() => scope.spawn('task', () => {}, { phase: 'c' })).toThrow("has no phase 'c'; it has a, b")
    }))

  it('[SC7] nothing can be opened, spawned, deferred or scheduled through a closing scope', () =>
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
