import { EventEmitter, once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { guard, outside, type Guard } from '../../src/guard/index.ts'
import '../../src/guard/install.ts'
import { clients, delay, never, openWebSocket } from './clients.ts'
import { FarSide } from './far-side.ts'

let far: FarSide
let call: Guard
beforeEach(async () => {
  far = await FarSide.listen()
  call = guard({ name: 'call', closeTimeout: 400 })
})
afterEach(async () => {
  await call.close()
  await far.close()
})

const owned = (): number => call.tree.owned.length - 1
const dial = (): Socket => connect(far.port, '127.0.0.1').on('error', () => {})

describe('work is a session’s', () => {
  it('when it is run, and in all that follows from it', async () => {
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
    await far.until(() => far.open === 6)
    expect(owned()).toBe(6)
  })

  it('when it is bound, whoever calls it', async () => {
    const object = {
      port: far.port,
      dial: call.bind(function (this: { port: number }) {
        return connect(this.port, '127.0.0.1')
      }),
    }
    await once(object.dial(), 'connect')
    expect(owned()).toBe(1)
  })

  it('and not when it only stands beside it', async () => {
    call.run(() => {})
    await outside(() => once(dial(), 'connect'))
    expect(owned()).toBe(0)
    far.hangUp()
  })

  it('nor when it says so, from within', async () => {
    await call.run(() => call.outside(() => once(dial(), 'connect')))
    expect(owned()).toBe(0)
    expect(await call.close()).toMatchObject({ graceful: true, unowned: [] })
    expect(far.open).toBe(1)
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

  /** An accessor that opens something, as lazy ones do. */
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
  it('does what it does in its context: methods, accessors, promises, chains', async () => {
    const session = call.wrap(new Foreign(far.port))
    session.dial()
    expect(session.lazy).toBeInstanceOf(EventEmitter)
    session.target = 2
    expect(await session.later()).toBe('later')
    expect(session.chain().chain()).toBe(session)
    session.chain().dial()
    await far.until(() => far.open === 6)
    expect(owned()).toBe(6)
    expect(session.dialled).toBe(6)
  })

  it('is the same thing to whoever looks at it', () => {
    const foreign = new Foreign(far.port)
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

  it('calls listeners in the context of those who listen, and lets them go again', async () => {
    const session = call.wrap(new Foreign(far.port))
    const heard: unknown[] = []
    const listener = (what: unknown): void => {
      dial()
      heard.push(what)
    }
    outside(() => session.on('news', listener).once('news', () => dial().destroy()))
    call.run(() => session.emit('news', 1))
    session.off('news', listener)
    session.emit('news', 2)
    expect(heard).toEqual([1])
    expect(session.listenerCount('news')).toBe(0)
    await far.until(() => far.open === 1)
    expect(owned()).toBe(0)
  })

  it('is gone through in its context, where it is a generator', async () => {
    const session = call.wrap(new Foreign(far.port))
    const seen: number[] = []
    for await (const event of session.events()) {
      seen.push(event)
      if (event === 2) break
    }
    expect(seen).toEqual([1, 2])
    expect(owned()).toBe(1)
  })
})

describe('an iterator', () => {
  it('runs in the context, and ends with the session', async () => {
    const seen: number[] = []
    const source = new Foreign(far.port)
    const loop = (async () => {
      for await (const event of call.iterate(source.events())) seen.push(event)
    })()
    await far.until(() => far.open === 1)
    expect(owned()).toBe(1)
    await call.close()
    await loop
    expect(seen).toEqual([1, 2])
  })

  it('passes errors on, and the leaving of a loop', async () => {
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

describe('what was accepted elsewhere', () => {
  it('is asked to go after the session, if it was adopted: a socket', async () => {
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

  it('is asked to go, and cut off if it does not: a WebSocket of a phone', async () => {
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

  it('is anything with close and abort, and nothing else', async () => {
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

  it('is cut off in the context of the session: what that sets off is the session’s, too', async () => {
    call.adopt({ close: never, abort: () => void dial() })
    expect((await call.close()).severed).toMatchObject([{ kind: 'adopted' }, { kind: 'socket' }])
    await far.until(() => far.open === 0)
  })

  it('is nobody’s if it was not', async () => {
    await outside(async () => clients['net']!(far))
    await call.close()
    expect(far.open).toBe(1)
  })
})
