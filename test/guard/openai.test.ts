import { EventEmitter, once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { guardOpenAI, outside, type GuardOpenAIOptions, type OpenAIStatus } from '../../src/guard/index.ts'
import '../../src/guard/install.ts'
import { never, openWebSocket } from './clients.ts'
import { Vendor } from './vendor.ts'

let vendor: Vendor
beforeEach(async () => {
  vendor = await Vendor.listen()
})
afterEach(() => vendor.close())

/** Like the SDK's session: its close is synchronous, waits for nothing, and emits an event on its transport only. */
class RealtimeSession extends EventEmitter {
  readonly transport = new EventEmitter<{ connection_change: [status: OpenAIStatus] }>()
  readonly #url: string
  #socket: WebSocket | undefined
  closes = 0

  constructor(url = vendor.url) {
    super()
    this.#url = url
  }

  async connect(): Promise<void> {
    const socket = new WebSocket(this.#url)
    this.#socket = socket
    this.transport.emit('connection_change', 'connecting')
    socket.on('error', () => {})
    socket.on('close', () => this.#disconnected())
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('close', () => reject(new Error('closed before it was ready')))
    })
    this.transport.emit('connection_change', 'connected')
  }

  /** Runs a tool. */
  async tool(signal?: AbortSignal): Promise<unknown> {
    return fetch(vendor.http, signal ? { signal } : {})
  }

  close(): void {
    this.closes++
    const socket = this.#socket
    this.#disconnected()
    socket?.close()
  }

  #disconnected(): void {
    if (!this.#socket) return
    this.#socket = undefined
    this.transport.emit('connection_change', 'disconnected')
  }
}

const guarded = (session: RealtimeSession, options: GuardOpenAIOptions = {}) =>
  guardOpenAI(session, { name: 'call', closeTimeout: 900, ...options })

describe('a guarded OpenAI session', () => {
  it("is the same object, and its close is the guard's", async () => {
    const session = new RealtimeSession()
    const call = guarded(session)
    await session.connect()
    expect(call.tree.owned).toHaveLength(3)
    const closed = new Promise((resolve) => call.on('closed', resolve))
    session.close()
    session.close()
    expect(call.state).not.toBe('live')
    expect(await closed).toMatchObject({ graceful: true, reason: 'closed', alsoAsked: [] })
    expect(session.closes).toBe(1)
    await vendor.whenIdle()
  })

  it('[GD1] [GD2] closes in time, with one event and no socket left, if the peer ignores its close frame', async () => {
    vendor.manners = { closeReply: 'never' }
    const session = new RealtimeSession()
    const call = guarded(session, { linger: 200 })
    let events = 0
    call.on('closed', () => events++)
    await session.connect()
    const report = await call.close()
    expect(report).toMatchObject({ graceful: false, severed: [{ kind: 'socket' }] })
    expect(events).toBe(1)
    await vendor.whenIdle()
  })

  it('is closed when its connection is lost, and ends an adopted phone socket', async () => {
    const session = new RealtimeSession()
    const phone = await openWebSocket(vendor.url)
    const call = guarded(session)
    call.adopt(phone)
    await session.connect()
    const closed = new Promise((resolve) => call.on('closed', resolve))
    const hungUp = once(phone, 'close')
    vendor.drop()
    expect(await closed).toMatchObject({ reason: 'the connection was lost' })
    await hungUp
  })

  it('stays open when its connection is lost if `reconnects` is set', async () => {
    const session = new RealtimeSession()
    const call = guarded(session, { reconnects: true })
    await session.connect()
    const lost = once(session.transport, 'connection_change')
    vendor.drop()
    await lost
    expect(call.state).toBe('live')
    await session.connect()
    expect(await call.close()).toMatchObject({ graceful: true })
    await vendor.whenIdle()
  })

  it('can connect again after a failed first connect', async () => {
    const session = new RealtimeSession('ws://127.0.0.1:1')
    const call = guarded(session)
    await expect(session.connect()).rejects.toThrow('closed before')
    expect(call.state).toBe('live')
    expect(await call.close()).toMatchObject({ graceful: true })
  })

  it('is closed if it does not connect in time, which settles its connect', async () => {
    vendor.manners = { connect: 'never' }
    const session = new RealtimeSession()
    const call = guarded(session, { connectTimeout: 100 })
    await expect(session.connect()).rejects.toThrow('closed before')
    expect(await call.close()).toMatchObject({ reason: 'not connected in time' })
    await vendor.whenIdle()
  })

  it('has a signal for its tools, and cuts off what they opened if they ignore it', async () => {
    const session = new RealtimeSession()
    const call = guarded(session, { linger: 200, onLate: () => {} })
    await session.connect()
    const polite = session.tool(call.signal)
    const rude = session.tool()
    await vendor.until(() => vendor.open === 3)
    const closing = call.close()
    await expect(polite).rejects.toBe(call.signal.reason)
    expect(await closing).toMatchObject({ graceful: false, severed: [{ kind: 'socket' }] })
    await expect(rude).rejects.toThrow()
    await vendor.whenIdle()
  })

  it('[GD3] does not end the process when it throws after its close', async () => {
    const session = new RealtimeSession()
    const late: unknown[] = []
    const call = guarded(session, { onLate: ({ error }) => late.push(error) })
    await session.connect()
    // When a guardrail fails, the session emits an error. It has no error listener.
    call.run(() => {
      const guardrail = async (): Promise<void> => {
        await once(call.signal, 'abort')
        session.emit('error', new Error('the guardrail failed'))
      }
      Promise.resolve(guardrail()).catch((error: unknown) => {
        queueMicrotask(() => {
          throw error
        })
      })
    })
    await call.close()
    expect(late).toMatchObject([{ message: 'the guardrail failed' }])
  })

  it('does not own what its listeners open', async () => {
    const session = new RealtimeSession()
    const call = guarded(session)
    const saved = new Promise<WebSocket>((resolve, reject) => {
      const save = (): void => void openWebSocket(vendor.url).then(resolve, reject)
      outside(() => session.on('history_updated', save).once('history_updated', () => {}))
    })
    await session.connect()
    call.run(() => session.emit('history_updated'))
    const socket = await saved
    expect(await call.close()).toMatchObject({ graceful: true, severed: [] })
    expect(vendor.open).toBe(1)
    socket.terminate()
  })

  it('[GD1] settles a connect that would otherwise hang when it is closed', async () => {
    const session = new RealtimeSession()
    session.connect = () => never()
    const call = guarded(session)
    const connecting = session.connect()
    connecting.catch(() => {})
    expect(await call.close()).toMatchObject({ graceful: true })
    await expect(connecting).rejects.toMatchObject({ code: 'GUARD_CLOSED' })
  })

  it('cannot connect again once it is closed', async () => {
    const session = new RealtimeSession()
    const call = guarded(session)
    expect(await call.close()).toMatchObject({ graceful: true, severed: [] })
    await expect(session.connect()).rejects.toMatchObject({ code: 'GUARD_CLOSED' })
    expect(call.refused).toBe(1)
    expect(vendor.total).toBe(0)
  })

  it('rejects an invalid time limit', () => {
    expect(() => guarded(new RealtimeSession(), { connectTimeout: -1 })).toThrow(/connectTimeout/)
  })
})
