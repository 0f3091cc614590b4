import { Agent, get, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, get as getSecurely } from 'node:https'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { guard, outside, type Guard } from '../../src/guard/index.ts'
import '../../src/guard/install.ts'
import { FarSide } from './far-side.ts'
import { BlockedTime } from '../blocked-time.ts'

let far: FarSide
beforeEach(async () => {
  far = await FarSide.listen()
})
afterEach(() => far.close())

function getText(url: string, agent?: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, agent ? { agent } : {}, (response: IncomingMessage) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => resolve(text))
    }).on('error', reject)
  })
}

const keepAlive = new Agent({ keepAlive: true })
afterEach(() => keepAlive.destroy())

const ways: Record<string, (path: string) => Promise<string>> = {
  fetch: async (path) => {
    const text = await (await fetch(far.http + path)).text()
    // undici puts the connection back a little after the last byte was read.
    await new Promise(setImmediate)
    return text
  },
  'the global agent': (path) => getText(far.http + path),
  'an agent of a library': (path) => getText(far.http + path, keepAlive),
}

describe.each(Object.keys(ways))('connections that %s keeps for later', (way) => {
  const text = ways[way]!

  it('are not shared between sessions: to close one never ends a request of another', async () => {
    const [a, b] = [guard({ name: 'a', closeTimeout: 500 }), guard({ name: 'b', closeTimeout: 500 })]
    await a.run(() => text('/'))
    await b.run(() => text('/'))
    expect(far.total).toBe(2)
    const answer = b.run(() => text('/slow'))
    await far.until(() => far.slow === 1)
    expect(await a.close()).toMatchObject({ graceful: true, severed: [] })
    far.answer()
    expect(await answer).toBe('at last')
    await b.close()
  })

  it('are used again by the session they are of, and are ended with it, which is no severing', async () => {
    const call = guard({ closeTimeout: 2_000 })
    for (let i = 0; i < 3; i++) await call.run(() => text('/'))
    expect(far.total).toBe(1)
    using still = new BlockedTime()
    const report = await call.close()
    expect(report).toMatchObject({ graceful: true, clean: true, severed: [] })
    expect(report.took - still.total).toBeLessThan(500)
    await far.until(() => far.open === 0)
  })

  it('are those of everybody else outside of sessions', async () => {
    await text('/')
    const call = guard({ closeTimeout: 500, ignore: () => true })
    await call.run(() => text('/'))
    await call.close()
    await text('/')
    expect(far.total).toBe(2)
  })

  it('are cut off with a request that is not over, and take no other', async () => {
    const call = guard({ closeTimeout: 500 })
    const failed = expect(call.run(() => text('/slow'))).rejects.toThrow()
    await far.until(() => far.slow === 1)
    expect(await call.close()).toMatchObject({ graceful: false, severed: [{ kind: 'socket' }] })
    await failed
    await far.until(() => far.open === 0)
    await expect(call.run(() => text('/'))).rejects.toThrow()
    expect(far.total).toBe(1)
  })
})

it('pools of https are split as those of http are', async () => {
  const agent = new SecureAgent()
  // Nobody there speaks TLS: the connections are made, and their handshakes do not get on.
  const dial = (): unknown => getSecurely(`https://127.0.0.1:${far.port}`, { agent }).on('error', () => {})
  const call = guard({ closeTimeout: 300 })
  call.run(dial)
  outside(dial)
  expect(Object.keys(agent.sockets).map((name) => /:guard \d+:/.test(name))).toEqual([true, false])
  await far.until(() => far.open === 2)
  await call.close()
  await far.until(() => far.open === 1)
  agent.destroy()
})

describe('a dispatcher that the user has set for all', () => {
  type Dispatching = { dispatch(options: object, handler: object): boolean }
  const key = Symbol.for('undici.globalDispatcher.1')
  let before: unknown
  let requests = 0

  /** Not undici's own agent: nobody knows how to make another one. */
  class Proxying {
    readonly #inner = Reflect.get(globalThis, key) as Dispatching
    dispatch(options: object, handler: object): boolean {
      requests++
      return this.#inner.dispatch(options, handler)
    }
  }

  const aGuard = (): Guard => guard({ closeTimeout: 500, ignore: () => true })

  beforeEach(() => {
    guard().abort()
    before = Reflect.get(globalThis, key)
    requests = 0
    Reflect.set(globalThis, key, new Proxying())
  })
  afterEach(() => void Reflect.set(globalThis, key, before))

  it('stays in use and shared: a session owns its requests, and not the connections', async () => {
    const [a, b] = [aGuard(), aGuard()]
    await a.run(() => ways['fetch']!('/'))
    await b.run(() => ways['fetch']!('/'))
    expect([requests, far.total]).toEqual([2, 1])
    const failed = expect(a.run(() => ways['fetch']!('/slow'))).rejects.toThrow()
    const answer = b.run(() => ways['fetch']!('/slow'))
    await far.until(() => far.slow === 2)
    expect(await a.close()).toMatchObject({ graceful: false, severed: [{ kind: 'request' }] })
    await failed
    far.answer()
    expect(await answer).toBe('at last')
    await expect(a.run(() => ways['fetch']!('/'))).rejects.toMatchObject({ cause: { code: 'GUARD_CLOSED' } })
    expect(await b.close()).toMatchObject({ graceful: true })
  })

  it('is recognized by its options, too: they are not lost', async () => {
    const { constructor } = before as object
    const agent = Reflect.construct(constructor as new () => Dispatching, [{ pipelining: 1 }]) as Dispatching
    Reflect.set(globalThis, key, agent)
    const call = aGuard()
    expect(await call.run(() => ways['fetch']!('/'))).toBe('at once')
    expect(await call.close()).toMatchObject({ graceful: true, severed: [] })
    expect(await ways['fetch']!('/')).toBe('at once')
    expect(far.total).toBe(1)
  })
})
