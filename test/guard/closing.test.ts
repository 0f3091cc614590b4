import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  formatGuard,
  guard,
  guardLimits,
  outside,
  type GuardOptions,
  type GuardReport,
} from '../../src/guard/index.ts'
import '../../src/guard/install.ts'
import { formatReport } from '../../src/report/index.ts'
import { systemClock } from '../../src/scope/index.ts'
import { clients, delay, errorOf, never, openWebSocket } from './clients.ts'
import { FarSide } from './far-side.ts'
import { BlockedTime } from '../blocked-time.ts'

let far: FarSide
beforeEach(async () => {
  far = await FarSide.listen()
})
afterEach(() => far.close())

const names = (report: GuardReport): string[] =>
  report.steps.map(({ name, outcome }) => `${name.replace(/:\d+$/, '')} ${outcome}`)

/** Counts the turns of the event loop. */
class Turns {
  #count = 0
  #next = setImmediate(() => this.#turn())

  stop(): number {
    clearImmediate(this.#next)
    return this.#count
  }

  #turn(): void {
    this.#count++
    this.#next = setImmediate(() => this.#turn())
  }
}

describe('the close of a guarded session', () => {
  const closes: Record<string, GuardOptions['close']> = {
    resolves: async () => {},
    'is not there': undefined,
    returns: () => {},
    hangs: never,
    rejects: async () => Promise.reject(new Error('no')),
    throws: () => {
      throw new Error('no')
    },
    'resolves too late': () => delay(2_500),
  }

  it.each(Object.keys(closes))(
    '[GD1] [GD2] settles by the deadline with one event and no socket left, if its own %s',
    async (how) => {
      const close = closes[how]
      const call = guard({ name: 'call', closeTimeout: 1_500, ...(close ? { close } : {}), onLate: () => {} })
      const events: GuardReport[] = []
      call.on('closed', (report) => events.push(report))
      await call.run(() => openWebSocket(far.ws))
      using still = new BlockedTime()
      const reports = await Promise.all([call.close(), call.close({ reason: 'again' }), call.close()])
      expect(events).toEqual([reports[0]])
      expect(new Set(reports).size).toBe(1)
      const [report] = reports
      expect(report.took - still.total).toBeLessThanOrEqual(1_500)
      expect(report.severed).toMatchObject([{ kind: 'socket' }])
      expect(report.graceful).toBe(false)
      expect(Object.isFrozen(report) && Object.isFrozen(report.severed[0])).toBe(true)
      expect(await call.close()).toBe(report)
      await far.until(() => far.open === 0)
    },
  )

  it('is called once, in its context, after the signal was aborted and the state set', async () => {
    const seen: unknown[] = []
    const call = guard({
      closeTimeout: 300,
      close: async () => {
        seen.push(call.state, call.signal.aborted)
        await clients['net']!(far)
        seen.push(call.tree.owned.map(({ name, status }) => [name, status]))
      },
    })
    call.signal.addEventListener('abort', () => seen.push('signal'))
    const closing = call.close()
    expect(seen).toEqual(['signal', 'closing', true])
    call.close().catch(() => {})
    await closing
    expect(seen).toHaveLength(4)
    expect(seen[3]).toContainEqual(['opened while closing', { open: 1 }])
  })

  it('is graceful when it resolves and all that it opened goes by itself', async () => {
    const call = guard({ close: () => socket.close() })
    const socket = await call.run(() => openWebSocket(far.ws))
    using still = new BlockedTime()
    const report = await call.close({ reason: 'hung up', by: 'test' })
    expect(report).toMatchObject({
      graceful: true,
      clean: true,
      severed: [],
      refused: 0,
      late: [],
      reason: 'hung up',
    })
    expect(names(report)).toEqual(expect.arrayContaining(['close done', 'socket to 127.0.0.1 done']))
    expect(report.took - still.total).toBeLessThan(900)
  })

  it('lingers for sockets on their way out, and cuts off those that are not', async () => {
    const slow = guard({
      closeTimeout: 3_000,
      linger: 900,
      close: () => void setTimeout(() => far.hangUp(), 100),
    })
    await slow.run(() => clients['net']!(far))
    const first = await slow.close()
    expect(first).toMatchObject({ graceful: true, severed: [] })
    expect(first.took).toBeGreaterThanOrEqual(95)

    far.rude = true
    const stuck = guard({ closeTimeout: 3_000, linger: 200, close: () => socket.close() })
    const socket = await stuck.run(() => openWebSocket(far.ws))
    using still = new BlockedTime()
    const second = await stuck.close()
    expect(second).toMatchObject({ graceful: false, severed: [{ kind: 'socket' }] })
    expect(second.took).toBeGreaterThanOrEqual(195)
    expect(second.took - still.total).toBeLessThan(1_500)
  })

  it('leaves room for the linger inside the deadline', async () => {
    const call = guard({ closeTimeout: 1_500, close: never })
    await call.run(() => openWebSocket(far.ws))
    using still = new BlockedTime()
    const report = await call.close()
    expect(names(report)).toEqual(['close timed-out', 'socket to 127.0.0.1 timed-out'])
    const [close, socket] = report.steps
    expect(close!.took).toBeGreaterThan(800)
    expect(socket!.took - close!.took + still.total).toBeGreaterThan(300)
    expect(report.took - still.total).toBeLessThanOrEqual(1_500)
  })

  it('tells its own close when its time is over', async () => {
    const aborted: boolean[] = []
    const call = guard({
      closeTimeout: 300,
      close: (signal) => {
        signal.addEventListener('abort', () => aborted.push(true))
        return never()
      },
    })
    await call.close()
    expect(aborted).toEqual([true])
  })

  it('can be brought nearer, and made at once', async () => {
    const call = guard({ closeTimeout: 60_000, close: never })
    await call.run(() => clients['net']!(far))
    using still = new BlockedTime()
    const closing = call.close()
    const again = call.close({ closeTimeout: 100 })
    expect((await closing).took - still.total).toBeLessThan(2_000)
    expect(await again).toBe(await closing)

    const other = guard({ closeTimeout: 60_000, close: never })
    await other.run(() => clients['net']!(far))
    other.abort('enough')
    expect(other.state).toBe('closed')
    expect(await other.close()).toMatchObject({
      reason: 'enough',
      severed: [{ kind: 'socket' }],
      graceful: false,
    })
    await far.until(() => far.open === 0)
  })

  it('prints as the report of a scope does, with what only a guard knows below', async () => {
    const call = guard({ name: 'call 42', closeTimeout: 300, close: never })
    await call.run(() => clients['net']!(far))
    const report = await call.close()
    expect(formatGuard(report)).toContain(formatReport(report))
    expect(formatGuard(report)).toMatch(
      /call 42 · NOT clean[\s\S]*socket to 127[\s\S]*guard: NOT graceful · 1 severed/,
    )
  })
})

it.each(Object.keys(clients))('[GD2] a connection by %s is owned, and cut off at the end', async (client) => {
  const call = guard({ closeTimeout: 300 })
  await call.run(() => clients[client]!(far))
  expect(call.tree.owned.map(({ name }) => name)).toContain(`socket to 127.0.0.1:${far.port}`)
  expect((await call.close()).severed).toMatchObject([{ kind: 'socket' }])
  await far.until(() => far.open === 0)
})

describe('while it is closing', () => {
  it('may open something, which is owned, and lingers as well', async () => {
    const call = guard({
      closeTimeout: 3_000,
      close: async () => {
        fetch(`${far.http}/slow`).catch(() => {})
        await far.until(() => far.slow === 1)
        setTimeout(() => far.answer(), 50)
      },
    })
    const report = await call.close()
    expect(names(report)).toContain('opened while closing done')
    expect(report).toMatchObject({ severed: [], refused: 0 })
    expect(report.took).toBeGreaterThanOrEqual(45)
  })

  it('is cut off from what it opened, too', async () => {
    const call = guard({ closeTimeout: 600, close: () => clients['net']!(far) })
    const report = await call.close()
    expect(names(report)).toContain('opened while closing timed-out')
    expect(report).toMatchObject({ graceful: false, severed: [{ kind: 'socket' }] })
    await far.until(() => far.open === 0)
  })

  it('is refused with noNewConnects, from the first moment', async () => {
    const codes: unknown[] = []
    const call = guard({
      noNewConnects: true,
      closeTimeout: 600,
      close: async () => codes.push((await errorOf(connect(far.port))).code),
    })
    call.signal.addEventListener('abort', () =>
      connect(far.port).on('error', (error) => codes.push(error.name)),
    )
    const report = await call.close()
    expect(codes).toEqual(['GuardClosedError', 'GUARD_CLOSED'])
    expect(report).toMatchObject({ refused: 2, graceful: true })
    expect(far.total).toBe(0)
  })
})

describe('at the last moment', () => {
  it('[GD2] what the cutting off sets off is cut off, too', async () => {
    const call = guard({
      closeTimeout: 300,
      close: (signal) => {
        // Runs while everything is being ended.
        signal.addEventListener('abort', () => void clients['net']!(far).catch(never))
        return never()
      },
    })
    const closing = call.close()
    call.abort()
    expect((await closing).severed).toMatchObject([{ kind: 'socket' }])
    await far.until(() => far.open === 0)
  })
})

describe('once it is sealed', () => {
  it.each(Object.keys(clients))('[GD2] opens nothing more by %s', async (client) => {
    const call = guard({ closeTimeout: 200 })
    await call.close()
    const { total } = far
    call.run(() => clients[client]!(far)).catch(() => {})
    await outside(async () => clients['net']!(far))
    await outside(async () => clients['net']!(far))
    expect(far.total).toBe(total + 2)
    expect(call.refused).toBe(1)
  })

  it('is told so by an error with a code, and never before it can listen', async () => {
    const call = guard({ name: 'call 7', closeTimeout: 200 })
    await call.close()
    const error = await call.run(() => errorOf(connect(far.port)))
    expect(error).toMatchObject({ code: 'GUARD_CLOSED', message: expect.stringContaining(`'call 7'`) })
    await expect(call.run(() => fetch(far.http))).rejects.toMatchObject({ cause: { code: 'GUARD_CLOSED' } })
  })

  it('is slowed down from the fourth refusal on', async () => {
    const call = guard({ closeTimeout: 200 })
    await call.close()
    // What waits for a slow refusal does not keep the process: here something else must.
    const alive = setInterval(() => {}, 1_000)
    const refusals: { took: number; turns: number }[] = []
    for (let i = 0; i < guardLimits.quickRefusals + 2; i++) {
      const began = systemClock.now()
      const turns = new Turns()
      await call.run(() => errorOf(connect(far.port)))
      refusals.push({ took: systemClock.now() - began, turns: turns.stop() })
    }
    clearInterval(alive)
    // Of a machine that may stand still, turns of the event loop tell what is quick.
    const quick = refusals.slice(0, guardLimits.quickRefusals).map(({ turns }) => turns)
    expect(Math.max(...quick)).toBeLessThanOrEqual(3)
    expect(refusals.at(-2)!.took).toBeGreaterThanOrEqual(guardLimits.refusalDelay - 2)
    expect(refusals.at(-1)!.took).toBeGreaterThanOrEqual(2 * guardLimits.refusalDelay - 2)
  })

  it('does not let a session that reconnects from its own close event come back', async () => {
    const call = guard({ closeTimeout: 300, close: () => {} })
    const dial = (): void => {
      connect(far.port, '127.0.0.1')
        .on('error', () => {})
        .on('close', dial)
    }
    call.run(dial)
    await far.until(() => far.open === 1)
    await call.close()
    await far.until(() => far.open === 0)
    await outside(async () => clients['net']!(far))
    expect(far.total).toBe(2)
    expect(call.refused).toBeGreaterThan(0)
  })
})
