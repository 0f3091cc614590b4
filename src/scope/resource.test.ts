import { describe, expect, it } from 'vitest'
import { inVirtualTime } from '../testing/index.ts'
import { NotAResourceError, Scope, ScopeClosedError, type Late, type Resource } from './index.ts'

const never = (): Promise<never> => new Promise(() => {})

describe('a resource', () => {
  it('[SC6] is refused at registration if it has no abort()', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      const half = { close() {} } as unknown as Resource
      expect(() => scope.own('half', half)).toThrow(NotAResourceError)
      await expect(scope.open('half', () => half)).rejects.toMatchObject({ code: 'NOT_A_RESOURCE' })
    }))

  it('[SC6] can be ended by functions given in the options', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', { clock })
      const socket = { terminate: () => log.push('terminate'), end: () => log.push('end') }
      const opened = await scope.open('socket', () => Promise.resolve(socket), {
        closing: () => log.push('closing'),
        close: (one) => void one.end(),
        abort: (one) => void one.terminate(),
      })
      expect(opened).toBe(socket)
      await scope.close()
      expect(log).toEqual(['closing', 'end'])
    }))

  it('[SC6] is aborted if its close() takes too long, and close() is called once', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', { clock })
      scope.own(
        'feed',
        {
          close(signal) {
            log.push('close')
            signal.addEventListener('abort', () => log.push('signal'))
            return never()
          },
          abort: () => void log.push('abort'),
        },
        { cap: 50 },
      )
      const report = await scope.close()
      expect(log).toEqual(['close', 'signal', 'abort'])
      expect(report.steps).toMatchObject([{ outcome: 'timed-out', took: 50, forced: true }])
    }))

  it('[SC6] is aborted if its close() fails, because half of it may still be open', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', { clock })
      scope.own('feed', {
        close: () => Promise.reject(new TypeError('no')),
        abort: () => void log.push('abort'),
      })
      const report = await scope.close()
      expect(log).toEqual(['abort'])
      expect(report.steps).toMatchObject([{ outcome: 'failed', error: { name: 'TypeError', message: 'no' } }])
    }))

  it('[SC9] whose close() settles after it was cut goes to onLate, also if it rejects', () =>
    inVirtualTime(async ({ clock }) => {
      const late: Late[] = []
      const scope = new Scope('root', { clock, onLate: (one) => late.push(one) })
      const close = (): Promise<void> => clock.elapse(100).then(() => Promise.reject(new Error('after all')))
      scope.own('feed', { close, abort() {} }, { cap: 10 })
      await scope.close()
      await clock.elapse(200)
      expect(late).toMatchObject([{ name: 'feed', kind: 'resource', outcome: 'failed', at: 100 }])
    }))

  it('[SC7] that is being opened is refused at once, and aborted when it is ready', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', { clock })
      const opening = scope.open('feed', async (signal) => {
        signal.addEventListener('abort', () => log.push(`cancelled at ${clock.now()}`))
        await clock.elapse(300)
        return { close: () => void log.push('close'), abort: () => void log.push(`abort at ${clock.now()}`) }
      })
      const refused = opening.catch((error: unknown) => {
        log.push(`refused at ${clock.now()}`)
        return error
      })
      await clock.elapse(100)
      const report = await scope.close()
      expect(await refused).toBeInstanceOf(ScopeClosedError)
      expect(log).toEqual(['cancelled at 100', 'refused at 100', 'abort at 300'])
      expect(report.tasks).toMatchObject([{ name: 'feed', kind: 'opening', outcome: 'cancelled', at: 200 }])
      expect(report.clean).toBe(true)
    }))

  it('[SC7] that is ready after the report is aborted, too', () =>
    inVirtualTime(async ({ clock }) => {
      const log: string[] = []
      const scope = new Scope('root', {
        clock,
        closeTimeout: 1_000,
        onLate: ({ outcome }) => log.push(outcome),
      })
      const opening = scope.open('feed', async () => {
        await clock.elapse(9_000)
        return { close: () => void log.push('close'), abort: () => void log.push('abort') }
      })
      const refused = expect(opening).rejects.toBeInstanceOf(ScopeClosedError)
      const report = await scope.close()
      await refused
      expect(report.tasks).toMatchObject([{ name: 'feed', outcome: 'abandoned' }])
      await clock.elapse(10_000)
      expect(log).toEqual(['abort', 'cancelled'])
    }))

  it('[SC7] that is refused leaves the task that opens it cancelled, not failed', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      scope.spawn('connect', async () => {
        await scope.open('feed', never)
      })
      const report = await scope.close({ closeTimeout: 100 })
      expect(report.tasks).toMatchObject([
        { name: 'connect', outcome: 'cancelled' },
        { name: 'feed', outcome: 'abandoned' },
      ])
    }))

  it('is aborted if its opener closes the scope', () =>
    inVirtualTime(async ({ clock }) => {
      const scope: Scope = new Scope('root', { clock })
      let aborted = false
      const opening = scope.open('feed', () => {
        scope.close().catch(() => {})
        return { close() {}, abort: () => void (aborted = true) }
      })
      await expect(opening).rejects.toBeInstanceOf(ScopeClosedError)
      expect(aborted).toBe(true)
      expect((await scope.close()).clean).toBe(true)
    }))

  it('that cannot be opened fails only for its caller', () =>
    inVirtualTime(async ({ clock }) => {
      const scope = new Scope('root', { clock })
      await expect(scope.open('feed', () => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
      expect(await scope.close()).toMatchObject({ clean: true, problems: [] })
    }))

  it('cannot be owned twice', () =>
    inVirtualTime(async ({ clock }) => {
      await using scope = new Scope('root', { clock })
      const thing = scope.own('one', { close() {}, abort() {} })
      expect(() => scope.own('again', thing)).toThrow(/already owned by scope 'root'/)
    }))
})
