import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { guard, outside, type Guard } from '../../src/guard/index.ts'
import { findRuntime } from '../../src/guard/runtime.ts'
import '../../src/guard/install.ts'
import { BlockedTime } from '../blocked-time.ts'
import { clients, delay, never } from './clients.ts'
import { RemoteServer } from './remote-server.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

let remote: RemoteServer
beforeEach(async () => {
  remote = await RemoteServer.listen()
})
afterEach(() => remote.close())

describe('a guard inside another one', () => {
  it('owns what it opens, and is closed with the outer one at the latest', async () => {
    const outer = guard({ name: 'outer', closeTimeout: 600, close: never })
    const inner = outer.run(() => guard({ name: 'inner', closeTimeout: 60_000, close: never }))
    await outer.run(() => clients['net']!(remote))
    await inner.run(() => clients['net']!(remote))
    const events: string[] = []
    inner.on('closed', ({ by }) => events.push(`inner by ${by}`))
    const report = await outer.close()
    expect(inner.state).toBe('closed')
    expect(report.severed).toHaveLength(1)
    expect(report).toMatchObject({ graceful: false, children: [{ report: { name: 'inner', clean: false } }] })
    expect(await inner.close()).toMatchObject({ graceful: false, severed: [{ kind: 'socket' }] })
    expect(events).toEqual([`inner by scope 'outer'`])
    await remote.until(() => remote.open === 0)
  })

  it('can be closed before the outer one', async () => {
    const outer = guard({ closeTimeout: 300 })
    const inner = outer.run(() => guard({ closeTimeout: 300 }))
    await inner.run(() => clients['net']!(remote))
    await inner.close()
    expect(outer.state).toBe('live')
    expect(await outer.close()).toMatchObject({ graceful: true, children: [] })
  })

  it('cannot be created in the context of a closed one', async () => {
    const outer = guard({ closeTimeout: 300 })
    await outer.close()
    expect(() => outer.run(() => guard())).toThrow(/closing or closed/)
    await outside(async () => outer.run(() => outside(() => guard({ closeTimeout: 300 })))).then((own) =>
      own.close(),
    )
  })
})

it('thousands of guards run and close together without mixing up what they own', async () => {
  const runtime = findRuntime()!
  const before = runtime.guards
  const calls = Array.from({ length: 2_000 }, (_, i) =>
    guard({ name: `call ${i}`, closeTimeout: 5_000, linger: 0 }),
  )
  for (const call of calls) call.run(() => setInterval(() => {}, 1_000))
  const some = calls.slice(0, 50)
  await Promise.all(some.map((call) => call.run(() => clients['net']!(remote))))
  await remote.until(() => remote.open === 50)
  expect(runtime.guards).toBe(before + 2_000)
  using blocked = new BlockedTime()
  const reports = await Promise.all(calls.map((call) => call.close()))
  const limit = 5_000 + blocked.total
  expect(reports.filter(({ severed }) => severed.length === 1)).toHaveLength(50)
  expect(reports.every(({ timers, took }) => timers.cleared === 1 && took <= limit)).toBe(true)
  expect(runtime.guards).toBe(before)
  await remote.until(() => remote.open === 0)
})

/** Held from outside, like a promise inside a library, so that the rest of the session cannot be collected. */
const stuck: unknown[] = []

/**
 * Creates a session whose close never settles and references it. A separate function, because all closures of one
 * function keep each other's variables alive.
 */
function aSession(): { close: () => Promise<object>; reference: WeakRef<object> } {
  const session = { state: 'of the session' }
  return { close: () => never().then(() => session), reference: new WeakRef(session) }
}

async function closeStuck(): Promise<Record<string, WeakRef<object>>> {
  const { close, reference } = aSession()
  const call = guard({ closeTimeout: 200, close, onLate: () => {} })
  await call.run(async () => {
    stuck.push(never().then(() => {}))
    stuck.push(new Promise((...settle) => stuck.push(settle)))
    stuck.push(setTimeout(() => {}, 3_600_000))
    await clients['net']!(remote)
  })
  stuck.push(call.bind(() => {}))
  const report = await call.close()
  return { guard: new WeakRef(call), report: new WeakRef(report), session: reference }
}

it('a sealed guard is garbage collected, even if its session is not', async () => {
  const references = await closeStuck()
  for (let round = 0; round < 5; round++) {
    await delay(1)
    collect()
  }
  const alive = Object.keys(references).filter((name) => references[name]?.deref() !== undefined)
  expect(alive).toEqual([])
  for (const each of stuck.splice(0)) if (each instanceof Object) clearTimeout(each as NodeJS.Timeout)
})

describe('[GD4] once no session of any guard is left', () => {
  const openAndClose = async (): Promise<void> => {
    const call: Guard = guard({ closeTimeout: 200 })
    await call.run(() => delay(1))
    await call.close()
  }

  it('the hooks do nothing and leave nothing behind', async () => {
    await openAndClose()
    const runtime = findRuntime()!
    for (let round = 0; round < 50 && runtime.contexts > 0; round++) {
      await delay(5)
      collect()
    }
    expect(runtime.contexts).toBe(0)
    expect(runtime.storage.getStore()).toBeUndefined()
    const socket = connect(remote.port, '127.0.0.1')
    await remote.until(() => remote.open === 1)
    socket.destroy()
  })
})
