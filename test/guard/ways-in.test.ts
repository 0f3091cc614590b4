import { EventEmitter, once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { guard, outside, type Guard } from '../../src/guard/index.ts'
import '../../src/guard/install.ts'
import { clients, delay, never, openWebSocket } from './clients.ts'
import { RemoteServer } from './remote-server.ts'

let remote: RemoteServer
let call: Guard
beforeEach(async () => {
  remote = await RemoteServer.listen()
  call = guard({ name: 'call', closeTimeout: 400 })
})
afterEach(async () => {
  await call.close()
  await remote.close()
})

const owned = (): number => call.tree.owned.length - 1
const dial = (): Socket => connect(remote.port, '127.0.0.1').on('error', () => {})

describe('work belongs to a session', () => {
  it('if it is run in its context, with everything it sets off', async () => {
    const emitter = new EventEmitter()
    expect(call.run(() => 'value')).toBe('value')
    await call.run(async () => {
      await delay(1)
      dial()
      process.nextTick(dial)
      setImmediate(dial)
      queueMicrotask(dial)
      setTimeout(() => void delay(1).then(dial).catch(never), 1)
      emitter.once('go', dial)
      emitter.emit('go')
    })
    await remote.until(() => remote.open === 6)
    expect(owned()).toBe(6)
  })

  it('if it is bound to it, wherever it is called', async () => {
    const object = {
      port: remote.port,
      dial: call.bind(function (this: { port: number }) {
        return connect(this.port, '127.0.0.1')
      }),
    }
    await once(object.dial(), 'connect')
    expect(owned()).toBe(1)
  })

  it('but not merely because the session exists', async () => {
    call.run(() => {})
    await outside(() => once(dial(), 'connect'))
    expect(owned()).toBe(0)
    remote.hangUp()
  })

  it('but not if it is run in outside() from within', async () => {
    await call.run(() => call.outside(() => once(dial(), 'connect')))
    expect(owned()).toBe(0)
    expect(await call.close()).toMatchObject({ graceful: true, unowned: [] })
    expect(remote.open).toBe(1)
  })
})

class Foreign extends EventEmitter {
  readonly #port: number
  #dialled = 0

  constructor(port: number) {
    super()
    this.#port = port
  }

  get dialled(): number {
    return this.#dialled
  }

  /** An accessor that lazily opens a connection. */
  get lazy(): Socket {
    return this.dial()
  }

  set target(count: number) {
    for (let i = 0; i < count; i++) this.dial()
  }

  dial(): Socket {
    this.#dialled++
    return connect(this.#port, '127.0.0.1').on('error', () => {})
  }

  async later(): Promise<string> {
    await delay(1)
    this.dial()
    return 'later'
  }

  chain(): this {
    return this
  }

  async *events(): AsyncGenerator<number> {
    yield 1
    this.dial()
    yield 2
    await never()
  }
}

describe('a wrapped session', () => {
  it('runs methods, accessors, promises and chained calls in its context', async () => {
    const session = call.wrap(new Foreign(remote.port))
    session.dial()
    expect(session.lazy).toBeInstanceOf(EventEmitter)
    session.target = 2
    expect(await session.later()).toBe('later')
    expect(session.chain().chain()).toBe(session)
    session.chain().dial()
    await remote.until(() => remote.open === 6)
    expect(owned()).toBe(6)
    expect(session.dialled).toBe(6)
  })

  it('is indistinguishable from the original', () => {
    const foreign = new Foreign(remote.port)
    const session = call.wrap(foreign)
    expect(session).toBeInstanceOf(Foreign)
    expect(Reflect.get(session, 'dial')).toBe(Reflect.get(session, 'dial'))
    expect(session.constructor).toBe(Foreign)
    expect(Object.keys(session)).toEqual(Object.keys(foreign))
    expect('dial' in session).toBe(true)
    const fixed = call.wrap(Object.freeze({ method: () => 'frozen' }))
    expect(fixed.method()).toBe('frozen')
    expect(call.wrap(new Map([['a', 1]])).get('a')).toBe(1)
  })

  it('calls listeners in the context in which they were added, and can remove them', async () => {
    const session = call.wrap(new Foreign(remote.port))
    const received: unknown[] = []
    const listener = (what: unknown): void => {
      dial()
      received.push(what)
    }
    outside(() => session.on('news', listener).once('news', () => dial().destroy()))
    call.run(() => session.emit('news', 1))
    session.off('news', listener)
    session.emit('news', 2)
    expect(received).toEqual([1])
    expect(session.listenerCount('news')).toBe(0)
    await remote.until(() => remote.open === 1)
    expect(owned()).toBe(0)
  })

  it('iterates generators in its context', async () => {
    const session = call.wrap(new Foreign(remote.port))
    const seen: number[] = []
    for await (const event of session.events()) {
      seen.push(event)
      if (event === 2) break
    }
    expect(seen).toEqual([1, 2])
    expect(owned()).toBe(1)
  })
})

describe('an iterator of a session', () => {
  it('runs in its context and ends with it', async () => {
    const seen: number[] = []
    const source = new Foreign(remote.port)
    const loop = (async () => {
      for await (const event of call.iterate(source.events())) seen.push(event)
    })()
    await remote.until(() => remote.open === 1)
    expect(owned()).toBe(1)
    await call.close()
    await loop
    expect(seen).toEqual([1, 2])
  })

  it('passes on errors and the end of a loop', async () => {
    const left: string[] = []
    const source = async function* (): AsyncGenerator<number> {
      try {
        yield 1
        throw new Error('broken')
      } finally {
        left.push('left')
      }
    }
    for await (const _ of call.iterate(source())) break
    await expect(async () => {
      for await (const _ of call.iterate(source()));
    }).rejects.toThrow('broken')
    expect(left).toEqual(['left', 'left'])
  })
})

describe('something opened elsewhere', () => {
  it('is asked to end after the session if it was adopted: a socket', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = outside(() => connect((server.address() as AddressInfo).port, '127.0.0.1'))
    const [accepted] = (await once(server, 'connection')) as [Socket]
    expect(call.adopt(accepted)).toBe(accepted)
    const ended = once(client.resume(), 'end')
    expect(await call.close()).toMatchObject({ graceful: true, severed: [] })
    await ended
    server.close()
  })

  it('is asked to end, and cut off if it does not: the WebSocket of a phone', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
    const phone = await outside(() => openWebSocket(url))
    call.adopt([...server.clients][0]!)
    const closed = once(phone, 'close')
    expect(await call.close()).toMatchObject({ graceful: true })
    expect(await closed).toMatchObject([1000, expect.anything()])

    const rude = guard({ closeTimeout: 300 })
    const leg = await outside(() => openWebSocket(url))
    const accepted = [...server.clients][0]!
    leg.pause()
    rude.adopt(accepted)
    expect(await rude.close()).toMatchObject({ graceful: false, severed: [{ kind: 'adopted' }] })
    leg.terminate()
    server.close()
  })

  it('can be adopted only if it has close and abort', async () => {
    const done: string[] = []
    call.adopt({ close: async () => void done.push('close'), abort: () => void done.push('abort') })
    expect(() => call.adopt({} as never)).toThrow(/cannot be owned/)
    await call.close()
    expect(done).toEqual(['close'])
    expect(() => call.adopt({ close: never, abort: () => void done.push('too late') })).toThrow(
      /closing or closed/,
    )
    expect(done).toEqual(['close', 'too late'])
  })

  it('is cut off in the context of the session, which owns what that sets off', async () => {
    call.adopt({ close: never, abort: () => void dial() })
    expect((await call.close()).severed).toMatchObject([{ kind: 'adopted' }, { kind: 'socket' }])
    await remote.until(() => remote.open === 0)
  })

  it('is not owned unless it is adopted', async () => {
    await outside(async () => clients['net']!(remote))
    await call.close()
    expect(remote.open).toBe(1)
  })
})
