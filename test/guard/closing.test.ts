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
import { RemoteServer } from './remote-server.ts'
import { BlockedTime } from '../blocked-time.ts'

let remote: RemoteServer
beforeEach(async () => {
  remote = await RemoteServer.listen()
})
afterEach(() => remote.close())

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
    'does not exist': undefined,
    returns: () => {},
    hangs: never,
    rejects: async () => Promise.reject(new Error('no')),
    throws: () => {
      throw new Error('no')
    },
    'resolves too late': () => delay(2_500),
  }

  it.each(Object.keys(closes))(
    '[GD1] [GD2] settles by the deadline with one event and no socket left if its own close %s',
    async (how) => {
      const close = closes[how]
      const call = guard({ name: 'call', closeTimeout: 1_500, ...(close ? { close } : {}), onLate: () => {} })
      const events: GuardReport[] = []
      call.on('closed', (report) => events.push(report))
      await call.run(() => openWebSocket(remote.ws))
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
      await remote.until(() => remote.open === 0)
    },
  )

  it("calls the session's own close once, in its context, after setting the state and aborting the signal", async () => {
    const seen: unknown[] = []
    const call = guard({
      closeTimeout: 300,
      close: async () => {
        seen.push(call.state, call.signal.aborted)
        await clients['net']!(remote)
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

  it('is graceful when its own close resolves and everything it opened ends by itself', async () => {
    const call = guard({ close: () => socket.close() })
    const socket = await call.run(() => openWebSocket(remote.ws))
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

  it('lingers for sockets that are closing and cuts off those that are not', async () => {
    const slow = guard({
      closeTimeout: 3_000,
      linger: 900,
      close: () => void setTimeout(() => remote.hangUp(), 100),
    })
    await slow.run(() => clients['net']!(remote))
    const first = await slow.close()
    expect(first).toMatchObject({ graceful: true, severed: [] })
    expect(first.took).toBeGreaterThanOrEqual(95)

    remote.ignoresClose = true
    const stuck = guard({ closeTimeout: 3_000, linger: 200, close: () => socket.close() })
    const socket = await stuck.run(() => openWebSocket(remote.ws))
    using still = new BlockedTime()
    const second = await stuck.close()
    expect(second).toMatchObject({ graceful: false, severed: [{ kind: 'socket' }] })
    expect(second.took).toBeGreaterThanOrEqual(195)
    expect(second.took - still.total).toBeLessThan(1_500)
  })

  it('leaves time for the linger before the deadline', async () => {
    const call = guard({ closeTimeout: 1_500, close: never })
    await call.run(() => openWebSocket(remote.ws))
    using still = new BlockedTime()
    const report = await call.close()
    expect(names(report)).toEqual(['close timed-out', 'socket to 127.0.0.1 timed-out'])
    const [close, socket] = report.steps
    expect(close!.took).toBeGreaterThan(800)
    expect(socket!.took - close!.took + still.total).toBeGreaterThan(300)
    expect(report.took - still.total).toBeLessThanOrEqual(1_500)
  })

  it('aborts the signal of its own close when its time is up', async () => {
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

  it('can be shortened, or aborted', async () => {
    const call = guard({ closeTimeout: 60_000, close: never })
    await call.run(() => clients['net']!(remote))
    using still = new BlockedTime()
    const closing = call.close()
    const again = call.close({ closeTimeout: 100 })
    expect((await closing).took - still.total).toBeLessThan(2_000)
    expect(await again).toBe(await closing)

    const other = guard({ closeTimeout: 60_000, close: never })
    await other.run(() => clients['net']!(remote))
    other.abort('enough')
    expect(other.state).toBe('closed')
    expect(await other.close()).toMatchObject({
      reason: 'enough',
      severed: [{ kind: 'socket' }],
      graceful: false,
    })
    await remote.until(() => remote.open === 0)
  })

  it('prints like the report of a scope, followed by the fields of a guard', async () => {
    const call = guard({ name: 'call 42', closeTimeout: 300, close: never })
    await call.run(() => clients['net']!(remote))
    const report = await call.close()
    expect(formatGuard(report)).toContain(formatReport(report))
    expect(formatGuard(report)).toMatch(
      /call 42 · NOT clean[\s\S]*socket to 127[\s\S]*guard: NOT graceful · 1 severed/,
    )
  })
})

it.each(Object.keys(clients))('[GD2] a connection by %s is owned and cut off at the end', async (client) => {
  const call = guard({ closeTimeout: 300 })
  await call.run(() => clients[client]!(remote))
  expect(call.tree.owned.map(({ name }) => name)).toContain(`socket to 127.0.0.1:${remote.port}`)
  expect((await call.close()).severed).toMatchObject([{ kind: 'socket' }])
  await remote.until(() => remote.open === 0)
})

describe('a guarded session that is closing', () => {
  it('may open connections, which are owned and may linger', async () => {
    const call = guard({
      closeTimeout: 3_000,
      close: async () => {
        fetch(`${remote.http}/slow`).catch(() => {})
        await remote.until(() => remote.slow === 1)
        setTimeout(() => remote.answer(), 50)
      },
    })
    const report = await call.close()
    expect(names(report)).toContain('opened while closing done')
    expect(report).toMatchObject({ severed: [], refused: 0 })
    expect(report.took).toBeGreaterThanOrEqual(45)
  })

  it('loses connections that it opened meanwhile', async () => {
    const call = guard({ closeTimeout: 600, close: () => clients['net']!(remote) })
    const report = await call.close()
    expect(names(report)).toContain('opened while closing timed-out')
    expect(report).toMatchObject({ graceful: false, severed: [{ kind: 'socket' }] })
    await remote.until(() => remote.open === 0)
  })

  it('is refused new connections from the start with noNewConnects', async () => {
    const codes: unknown[] = []
    const call = guard({
      noNewConnects: true,
      closeTimeout: 600,
      close: async () => codes.push((await errorOf(connect(remote.port))).code),
    })
    call.signal.addEventListener('abort', () =>
      connect(remote.port).on('error', (error) => codes.push(error.name)),
    )
    const report = await call.close()
    expect(codes).toEqual(['GuardClosedError', 'GUARD_CLOSED'])
    expect(report).toMatchObject({ refused: 2, graceful: true })
    expect(remote.total).toBe(0)
  })
})

describe('cutting off connections', () => {
  it('[GD2] also cuts off connections that are opened because of it', async () => {
    const call = guard({
      closeTimeout: 300,
      close: (signal) => {
        // Runs while everything is being cut off.
        signal.addEventListener('abort', () => void clients['net']!(remote).catch(never))
        return never()
      },
    })
    const closing = call.close()
    call.abort()
    expect((await closing).severed).toMatchObject([{ kind: 'socket' }])
    await remote.until(() => remote.open === 0)
  })
})

describe('a sealed session', () => {
  it.each(Object.keys(clients))('[GD2] cannot open a connection by %s', async (client) => {
    const call = guard({ closeTimeout: 200 })
    await call.close()
    const { total } = remote
    call.run(() => clients[client]!(remote)).catch(() => {})
    await outside(async () => clients['net']!(remote))
    await outside(async () => clients['net']!(remote))
    expect(remote.total).toBe(total + 2)
    expect(call.refused).toBe(1)
  })

  it('gets an error with a code, and never before it can listen for it', async () => {
    const call = guard({ name: 'call 7', closeTimeout: 200 })
    await call.close()
    const error = await call.run(() => errorOf(connect(remote.port)))
    expect(error).toMatchObject({ code: 'GUARD_CLOSED', message: expect.stringContaining(`'call 7'`) })
    await expect(call.run(() => fetch(remote.http))).rejects.toMatchObject({
      cause: { code: 'GUARD_CLOSED' },
    })
  })

  it('gets delayed refusals from the fourth on', async () => {
    const call = guard({ closeTimeout: 200 })
    await call.close()
    // A delayed refusal does not keep the process alive, so something else has to.
    const alive = setInterval(() => {}, 1_000)
    const refusals: { took: number; turns: number }[] = []
    for (let i = 0; i < guardLimits.quickRefusals + 2; i++) {
      const began = systemClock.now()
      const turns = new Turns()
      await call.run(() => errorOf(connect(remote.port)))
      refusals.push({ took: systemClock.now() - began, turns: turns.stop() })
    }
    clearInterval(alive)
    // Measured in turns of the event loop, because a busy machine may pause.
    const quick = refusals.slice(0, guardLimits.quickRefusals).map(({ turns }) => turns)
    expect(Math.max(...quick)).toBeLessThanOrEqual(3)
    expect(refusals.at(-2)!.took).toBeGreaterThanOrEqual(guardLimits.refusalDelay - 2)
    expect(refusals.at(-1)!.took).toBeGreaterThanOrEqual(2 * guardLimits.refusalDelay - 2)
  })

  it('cannot reconnect from its own close event', async () => {
    const call = guard({ closeTimeout: 300, close: () => {} })
    const dial = (): void => {
      connect(remote.port, '127.0.0.1')
        .on('error', () => {})
        .on('close', dial)
    }
    call.run(dial)
    await remote.until(() => remote.open === 1)
    await call.close()
    await remote.until(() => remote.open === 0)
    await outside(async () => clients['net']!(remote))
    expect(remote.total).toBe(2)
    expect(call.refused).toBeGreaterThan(0)
  })
})
