import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { guard, outside, type Guard } from '../../src/guard/index.ts'
import { findRuntime } from '../../src/guard/runtime.ts'
import '../../src/guard/install.ts'
import { clients, delay, never } from './clients.ts'
import { FarSide } from './far-side.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

let far: FarSide
beforeEach(async () => {
  far = await FarSide.listen()
})
afterEach(() => far.close())

describe('a guard inside of another', () => {
  it('owns what it opens, and ends with the outer one at the latest', async () => {
    const outer = guard({ name: 'outer', closeTimeout: 600, close: never })
    const inner = outer.run(() => guard({ name: 'inner', closeTimeout: 60_000, close: never }))
    await outer.run(() => clients['net']!(far))
    await inner.run(() => clients['net']!(far))
    const events: string[] = []
    inner.on('closed', ({ by }) => events.push(`inner by ${by}`))
    const report = await outer.close()
    expect(inner.state).toBe('closed')
    expect(report.severed).toHaveLength(1)
    expect(report).toMatchObject({ graceful: false, children: [{ report: { name: 'inner', clean: false } }] })
    expect(await inner.close()).toMatchObject({ graceful: false, severed: [{ kind: 'socket' }] })
    expect(events).toEqual([`inner by scope 'outer'`])
    await far.until(() => far.open === 0)
  })

  it('can end before it', async () => {
    const outer = guard({ closeTimeout: 300 })
    const inner = outer.run(() => guard({ closeTimeout: 300 }))
    await inner.run(() => clients['net']!(far))
    await inner.close()
    expect(outer.state).toBe('live')
    expect(await outer.close()).toMatchObject({ graceful: true, children: [] })
  })

  it('cannot be made in what is left of a closed one', async () => {
    const outer = guard({ closeTimeout: 300 })
    await outer.close()
    expect(() => outer.run(() => guard())).toThrow(/closing or closed/)
    await outside(async () => outer.run(() => outside(() => guard({ closeTimeout: 300 })))).then((own) =>
      own.close(),
    )
  })
})

it('thousands of guards live and close together, each with its own', async () => {
  const runtime = findRuntime()!
  const before = runtime.guards
  const calls = Array.from({ length: 2_000 }, (_, i) =>
    guard({ name: `call ${i}`, closeTimeout: 5_000, linger: 0 }),
  )
  for (const call of calls) call.run(() => setInterval(() => {}, 1_000))
  const some = calls.slice(0, 50)
  await Promise.all(some.map((call) => call.run(() => clients['net']!(far))))
  await far.until(() => far.open === 50)
  expect(runtime.guards).toBe(before + 2_000)
  const reports = await Promise.all(calls.map((call) => call.close()))
  expect(reports.filter(({ severed }) => severed.length === 1)).toHaveLength(50)
  expect(reports.every(({ timers, took }) => timers.cleared === 1 && took <= 5_000)).toBe(true)
  expect(runtime.guards).toBe(before)
  await far.until(() => far.open === 0)
})

/** Held by somebody else, as a promise inside a library would be: what is left of the session cannot be collected. */
const stuck: unknown[] = []

/** Its close never settles, and knows all of it. A function of its own: closures of one function share what they know. */
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
    await clients['net']!(far)
  })
  stuck.push(call.bind(() => {}))
  const report = await call.close()
  return { guard: new WeakRef(call), report: new WeakRef(report), session: reference }
}

it('a sealed guard is freed, whatever is left of its session', async () => {
  const references = await closeStuck()
  for (let round = 0; round < 5; round++) {
    await delay(1)
    collect()
  }
  const alive = Object.keys(references).filter((name) => references[name]?.deref() !== undefined)
  expect(alive).toEqual([])
  for (const each of stuck.splice(0)) if (each instanceof Object) clearTimeout(each as NodeJS.Timeout)
})

describe('[GD4] when nothing of any guard is left', () => {
  const openAndClose = async (): Promise<void> => {
    const call: Guard = guard({ closeTimeout: 200 })
    await call.run(() => delay(1))
    await call.close()
  }

  it('the hooks do nothing, and nothing is left behind', async () => {
    await openAndClose()
    const runtime = findRuntime()!
    for (let round = 0; round < 50 && runtime.contexts > 0; round++) {
      await delay(5)
      collect()
    }
    expect(runtime.contexts).toBe(0)
    expect(runtime.storage.getStore()).toBeUndefined()
    const socket = connect(far.port, '127.0.0.1')
    await far.until(() => far.open === 1)
    socket.destroy()
  })
})
