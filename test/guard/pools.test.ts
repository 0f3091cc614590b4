import { Agent, get, type IncomingMessage } from 'node:http'
import { Agent as SecureAgent, get as getSecurely } from 'node:https'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { guard, outside, type Guard } from '../../src/guard/index.ts'
import '../../src/guard/install.ts'
import { RemoteServer } from './remote-server.ts'
import { BlockedTime } from '../blocked-time.ts'

let remote: RemoteServer
beforeEach(async () => {
  remote = await RemoteServer.listen()
})
afterEach(() => remote.close())

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
    const text = await (await fetch(remote.http + path)).text()
    // undici returns the connection to the pool shortly after the last byte was read.
    await new Promise(setImmediate)
    return text
  },
  'the global agent': (path) => getText(remote.http + path),
  "a library's agent": (path) => getText(remote.http + path, keepAlive),
}

describe.each(Object.keys(ways))('pooled connections of %s', (way) => {
  const text = ways[way]!

  it('are not shared between sessions: closing one session never ends a request of another', async () => {
    const [a, b] = [guard({ name: 'a', closeTimeout: 500 }), guard({ name: 'b', closeTimeout: 500 })]
    await a.run(() => text('/'))
    await b.run(() => text('/'))
    expect(remote.total).toBe(2)
    const answer = b.run(() => text('/slow'))
    await remote.until(() => remote.slow === 1)
    expect(await a.close()).toMatchObject({ graceful: true, severed: [] })
    remote.answer()
    expect(await answer).toBe('at last')
    await b.close()
  })

  it('are reused by their own session and ended with it, which does not count as severing', async () => {
    const call = guard({ closeTimeout: 2_000 })
    for (let i = 0; i < 3; i++) await call.run(() => text('/'))
    expect(remote.total).toBe(1)
    using still = new BlockedTime()
    const report = await call.close()
    expect(report).toMatchObject({ graceful: true, clean: true, severed: [] })
    expect(report.took - still.total).toBeLessThan(500)
    await remote.until(() => remote.open === 0)
  })

  it('are shared outside sessions', async () => {
    await text('/')
    const call = guard({ closeTimeout: 500, ignore: () => true })
    await call.run(() => text('/'))
    await call.close()
    await text('/')
    expect(remote.total).toBe(2)
  })

  it('are cut off with an unfinished request, and take no further one', async () => {
    const call = guard({ closeTimeout: 500 })
    const failed = expect(call.run(() => text('/slow'))).rejects.toThrow()
    await remote.until(() => remote.slow === 1)
    expect(await call.close()).toMatchObject({ graceful: false, severed: [{ kind: 'socket' }] })
    await failed
    await remote.until(() => remote.open === 0)
    await expect(call.run(() => text('/'))).rejects.toThrow()
    expect(remote.total).toBe(1)
  })
})

it('pools of https are split by session like those of http', async () => {
  const agent = new SecureAgent()
  // The server does not speak TLS: the connections open, and their handshakes never complete.
  const dial = (): unknown => getSecurely(`https://127.0.0.1:${remote.port}`, { agent }).on('error', () => {})
  const call = guard({ closeTimeout: 300 })
  call.run(dial)
  outside(dial)
  expect(Object.keys(agent.sockets).map((name) => /:guard \d+:/.test(name))).toEqual([true, false])
  await remote.until(() => remote.open === 2)
  await call.close()
  await remote.until(() => remote.open === 1)
  agent.destroy()
})

describe('a global dispatcher that the user has set', () => {
  type Dispatching = { dispatch(options: object, handler: object): boolean }
  const key = Symbol.for('undici.globalDispatcher.1')
  let before: unknown
  let requests = 0

  /** Not undici's own agent, so a guard cannot copy it. */
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

  it('stays in use and shared: a session owns its requests but not the connections', async () => {
    const [a, b] = [aGuard(), aGuard()]
    await a.run(() => ways['fetch']!('/'))
    await b.run(() => ways['fetch']!('/'))
    expect([requests, remote.total]).toEqual([2, 1])
    const failed = expect(a.run(() => ways['fetch']!('/slow'))).rejects.toThrow()
    const answer = b.run(() => ways['fetch']!('/slow'))
    await remote.until(() => remote.slow === 2)
    expect(await a.close()).toMatchObject({ graceful: false, severed: [{ kind: 'request' }] })
    await failed
    remote.answer()
    expect(await answer).toBe('at last')
    await expect(a.run(() => ways['fetch']!('/'))).rejects.toMatchObject({ cause: { code: 'GUARD_CLOSED' } })
    expect(await b.close()).toMatchObject({ graceful: true })
  })

  it('is also recognised by its options, which are kept', async () => {
    const { constructor } = before as object
    const agent = Reflect.construct(constructor as new () => Dispatching, [{ pipelining: 1 }]) as Dispatching
    Reflect.set(globalThis, key, agent)
    const call = aGuard()
    expect(await call.run(() => ways['fetch']!('/'))).toBe('at once')
    expect(await call.close()).toMatchObject({ graceful: true, severed: [] })
    expect(await ways['fetch']!('/')).toBe('at once')
    expect(remote.total).toBe(1)
  })
})
