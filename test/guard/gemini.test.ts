import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { guardGemini, type GuardGeminiOptions } from '../../src/guard/index.ts'
import '../../src/guard/install.ts'
import { Vendor } from './vendor.ts'

interface Message {
  setupComplete?: object
  goAway?: { timeLeft: string }
}
interface Parameters {
  model: string
  callbacks: {
    onopen?: () => void
    onmessage: (message: Message) => void
    onerror?: (event: { error?: unknown }) => void
    onclose?: (event: { code: number; reason: string }) => void
  }
}

let vendor: Vendor
beforeEach(async () => {
  vendor = await Vendor.listen()
  vendor.manners = { opened: (peer) => peer.send('{"setupComplete":{}}') }
})
afterEach(() => vendor.close())

class LiveSession {
  readonly #socket: WebSocket

  constructor(socket: WebSocket) {
    this.#socket = socket
  }

  close(): void {
    this.#socket.close()
  }
}

/** Like the SDK's `connect`: it waits only for the setup, so it may never settle. */
const live = {
  connect: async ({ callbacks }: Parameters): Promise<LiveSession> => {
    const socket = new WebSocket(vendor.url)
    if (callbacks.onopen) socket.on('open', callbacks.onopen)
    socket.on('error', (error) => callbacks.onerror?.({ error }))
    socket.on('close', (code, reason) => callbacks.onclose?.({ code, reason: reason.toString() }))
    await new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer) => {
        const message = JSON.parse(data.toString()) as Message
        if (message.setupComplete) resolve()
        else callbacks.onmessage(message)
      })
    })
    return new LiveSession(socket)
  },
}

const guarded = (options: GuardGeminiOptions = {}) =>
  guardGemini(live, { name: 'call', closeTimeout: 900, linger: 200, ...options })
const parameters: Parameters = { model: 'gemini', callbacks: { onmessage: () => {} } }

describe('a guarded Gemini session', () => {
  it('connects, calls its callbacks, and closes', async () => {
    const received: unknown[] = []
    const call = guarded()
    const session = await call.connect({
      model: 'gemini',
      callbacks: {
        onopen: () => received.push('open'),
        onmessage: (message) => received.push(message),
        onclose: ({ code }) => received.push(code),
      },
    })
    expect(session).toBeInstanceOf(LiveSession)
    vendor.send('{"goAway":{"timeLeft":"10s"}}')
    await vendor.until(() => vendor.open === 1)
    expect(await call.close()).toMatchObject({ graceful: true, reason: 'closed' })
    expect(received).toEqual(['open', { goAway: { timeLeft: '10s' } }, 1005])
    await vendor.whenIdle()
  })

  it('[GD1] [GD2] closes in time, with no socket left, if its close frame is ignored', async () => {
    vendor.manners = { ...vendor.manners, closeReply: 'never' }
    const call = guarded()
    await call.connect(parameters)
    expect(await call.close()).toMatchObject({ graceful: false, severed: [{ kind: 'socket' }] })
    await vendor.whenIdle()
  })

  it.each([
    ['is refused', { refuse: 401 }, 10_000, /connection closed 1006/],
    ['is reset', { refuse: 0 }, 10_000, /connection closed 1006/],
    ['is closed before its setup', { opened: hangsUp }, 10_000, /connection closed 1007 no such key/],
    ['is never answered', { connect: 'never' }, 100, /no session within 100 ms/],
    ['is never set up', {}, 100, /no session within 100 ms/],
  ] as const)(
    'rejects `connect` and closes if the connection %s, where the SDK never settles',
    async (_, manners, connectTimeout, why) => {
      vendor.manners = manners
      const call = guarded({ connectTimeout })
      await expect(call.connect(parameters)).rejects.toMatchObject({
        code: 'GUARD_NOT_CONNECTED',
        message: expect.stringMatching(why),
      })
      expect(call.state).not.toBe('live')
      await call.close()
      await vendor.whenIdle()
    },
  )

  it('[GD2] settles a pending `connect` when it is closed, and leaves no socket', async () => {
    vendor.manners = { connect: 'never' }
    const call = guarded()
    const connecting = call.connect(parameters)
    connecting.catch(() => {})
    await vendor.until(() => vendor.open === 1)
    const closing = call.close()
    await expect(connecting).rejects.toMatchObject({ code: 'GUARD_CLOSED' })
    expect(await closing).toMatchObject({ graceful: false, severed: [{ kind: 'socket' }] })
    await expect(call.connect(parameters)).rejects.toMatchObject({ code: 'GUARD_CLOSED' })
    await vendor.whenIdle()
    expect(vendor.total).toBe(1)
  })

  it('closes a session that opens too late', async () => {
    vendor.manners = {}
    const call = guarded({ connectTimeout: 50, closeTimeout: 60_000, linger: 30_000 })
    await expect(call.connect(parameters)).rejects.toThrow(/no session/)
    vendor.send('{"setupComplete":{}}')
    expect(await call.close()).toMatchObject({ graceful: true, severed: [] })
    await vendor.whenIdle()
  })

  it('closes when its connection ends, and its reason distinguishes a drop from a goAway', async () => {
    const broken = guarded()
    await broken.connect(parameters)
    const lost = new Promise((resolve) => broken.on('closed', resolve))
    vendor.drop()
    expect(await lost).toMatchObject({ reason: 'connection closed 1006' })

    const planned = guarded()
    await planned.connect(parameters)
    const ended = new Promise((resolve) => planned.on('closed', resolve))
    vendor.send('{"goAway":{"timeLeft":"1s"}}')
    vendor.hangUp(1011, 'deadline')
    expect(await ended).toMatchObject({ reason: 'went away 1011 deadline' })
  })

  it('stays open if the app reconnects at once, and closes with the last connection', async () => {
    const call = guarded()
    let again: Promise<LiveSession> | undefined
    await call.connect({
      model: 'gemini',
      callbacks: {
        onmessage: () => {},
        onclose: () => {
          again = call.connect(parameters)
        },
      },
    })
    vendor.hangUp(1011, 'deadline')
    await vendor.until(() => vendor.total === 2)
    await again
    expect(call.state).toBe('live')
    const closed = new Promise((resolve) => call.on('closed', resolve))
    vendor.hangUp(1000, '')
    await closed
  })

  it('stays open without a connection if `reconnects` is set', async () => {
    const call = guarded({ reconnects: true })
    const closed = new Promise<void>((resolve) => {
      call
        .connect({ model: 'gemini', callbacks: { onmessage: () => {}, onclose: () => resolve() } })
        .catch(() => {})
    })
    await vendor.until(() => vendor.open === 1)
    vendor.drop()
    await closed
    expect(call.state).toBe('live')
    await call.connect(parameters)
    expect(await call.close()).toMatchObject({ graceful: true })
  })

  it('[GD3] owns what its callbacks open, and catches their late errors', async () => {
    const late: unknown[] = []
    const call = guarded({ onLate: ({ error }) => late.push(error) })
    await call.connect({
      model: 'gemini',
      callbacks: {
        onmessage: () => {
          fetch(vendor.http).catch(() => {})
        },
        onclose: () => {
          throw new Error('not now')
        },
      },
    })
    vendor.send('{}')
    await vendor.until(() => vendor.open === 2)
    expect(await call.close()).toMatchObject({ severed: [{ kind: 'socket' }] })
    expect(late).toMatchObject([{ message: 'not now' }])
    await vendor.whenIdle()
  })
})

function hangsUp(peer: { close(code: number, reason: string): void }): void {
  peer.close(1007, 'no such key')
}
