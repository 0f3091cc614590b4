import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { guardLiveKit, outside, type LiveKitCloseEvent, type LiveKitRoom } from '../../src/guard/index.ts'
import '../../src/guard/install.ts'
import { delay, never, openWebSocket } from './clients.ts'
import { RemoteServer } from './remote-server.ts'

let remote: RemoteServer
beforeEach(async () => {
  remote = await RemoteServer.listen()
})
afterEach(() => remote.close())

/** Ends like an `AgentSession` of `@livekit/agents`. `bench/peers` tests the real one. */
class FakeSession extends EventEmitter {
  readonly #closing = new AbortController()
  #closingTask: Promise<void> | undefined
  readonly calls: string[] = []
  /** What the close waits for. Default: nothing. */
  hook: () => unknown = () => {}
  /** What a drain waits for. */
  speech: Promise<void> = Promise.resolve()
  #interrupted: () => void = () => {}

  get _closingSignal(): AbortSignal {
    return this.#closing.signal
  }

  async start(options: { agent?: string; room?: LiveKitRoom } = {}): Promise<void> {
    this.calls.push(`start ${options.agent}`)
    await openWebSocket(remote.ws)
  }

  say(): Promise<unknown> {
    this.calls.push('say')
    return openWebSocket(remote.ws)
  }

  interrupt(): void {
    this.calls.push('interrupt')
    this.#interrupted()
  }

  async close(): Promise<void> {
    this.calls.push('close')
    this.closeSoon()
    await this.#closingTask
  }

  shutdown({ drain = true }: { drain?: boolean } = {}): void {
    this.calls.push('shutdown')
    this.closeSoon(drain)
  }

  /** Closes it like the framework does on its own when the participant has left. */
  closeSoon(drain = false): void {
    this.#closingTask ??= this.#close(drain)
  }

  async #close(drain: boolean): Promise<void> {
    await Promise.resolve()
    this.#closing.abort()
    const interrupted = new Promise<void>((resolve) => {
      this.#interrupted = resolve
    })
    if (drain) await Promise.any([this.speech, interrupted])
    await this.hook()
    this.emit('close', { type: 'close', reason: 'user_initiated', error: null, createdAt: 1 })
  }
}

const closesOf = (session: FakeSession): LiveKitCloseEvent[] => {
  const events: LiveKitCloseEvent[] = []
  session.on('close', (event: LiveKitCloseEvent) => events.push(event))
  return events
}

describe('a guarded LiveKit session', () => {
  it('[GD1] [GD2] is closed in time by its own close(), through earlier references too', async () => {
    const session = new FakeSession()
    session.hook = never
    const events = closesOf(session)
    const call = guardLiveKit(session, { closeTimeout: 600 })
    await session.start({ agent: 'desk' })
    await session.close()
    expect(call.state).toBe('closed')
    expect(session.calls).toEqual(['start desk', 'close'])
    expect(events).toMatchObject([{ type: 'close', reason: 'guard' }])
    const report = await call.close()
    expect(report.severed).toMatchObject([{ kind: 'socket' }])
    await remote.until(() => remote.open === 0)
  })

  it('emits one close event, its own if its close finishes', async () => {
    const session = new FakeSession()
    const events = closesOf(session)
    guardLiveKit(session, { closeTimeout: 600 })
    await session.start()
    await session.close()
    expect(events).toMatchObject([{ reason: 'user_initiated' }])
  })

  it('emits no second close event when a close that was given up finishes later', async () => {
    const session = new FakeSession()
    let goOn: (value: unknown) => void = () => {}
    session.hook = () => new Promise((resolve) => (goOn = resolve))
    const events = closesOf(session)
    guardLiveKit(session, { closeTimeout: 300 })
    await session.start()
    await session.close()
    goOn(undefined)
    await delay(5)
    expect(events).toMatchObject([{ reason: 'guard' }])
  })

  it('is closed in time when the framework starts the close', async () => {
    const session = new FakeSession()
    session.hook = never
    const call = guardLiveKit(session, { closeTimeout: 300 })
    await session.start()
    const closed = new Promise((resolve) => call.on('closed', resolve))
    session.closeSoon()
    expect(await closed).toMatchObject({ graceful: false, severed: [{ kind: 'socket' }] })
  })

  it('is closed when its room is disconnected, and removes its listener from the room', async () => {
    const session = new FakeSession()
    const room = new EventEmitter()
    const call = guardLiveKit(session, { closeTimeout: 300 })
    await session.start({ room })
    room.emit('disconnected')
    expect(call.state).toBe('closing')
    await call.close()
    expect(room.listenerCount('disconnected')).toBe(0)
  })

  it('enters the context in every method, wherever it is called', async () => {
    const session = new FakeSession()
    const call = guardLiveKit(session, { closeTimeout: 300, linger: 0 })
    await session.start()
    await session.say()
    const report = await call.close()
    expect(report.severed).toHaveLength(2)
    expect(report.unowned).toEqual([])
  })

  it('calls listeners in the context in which they were added, however they are added and removed', async () => {
    const session = new FakeSession()
    const call = guardLiveKit(session, { closeTimeout: 500 })
    await session.start()
    const opened: Promise<unknown>[] = []
    const save = (): void => void opened.push(openWebSocket(remote.ws))
    const other = (): void => void opened.push(never())
    outside(() => {
      session.on('close', save)
      session.once('close', save)
      session.on('close', other).off('close', other)
      session.once('close', other)
      session.off('close', other)
    })
    await session.close()
    expect(opened).toHaveLength(2)
    await Promise.all(opened)
    await delay(5)
    expect(call.refused).toBe(0)
    expect(remote.open).toBe(2)
  })

  describe('that is shut down with a drain', () => {
    it('may finish speaking, for longer than a close may take', async () => {
      const session = new FakeSession()
      let finish!: () => void
      session.speech = new Promise((resolve) => (finish = resolve))
      const call = guardLiveKit(session, { closeTimeout: 100 })
      await session.start()
      session.shutdown()
      await delay(200)
      expect(call.state).toBe('live')
      const closed = new Promise((resolve) => call.on('closed', resolve))
      finish()
      await closed
      expect(session.calls).not.toContain('interrupt')
    })

    it('is closed when the drain takes too long', async () => {
      const session = new FakeSession()
      session.speech = never()
      session.hook = never
      const call = guardLiveKit(session, { closeTimeout: 200, drain: 100 })
      await session.start()
      session.shutdown()
      const closed = new Promise((resolve) => call.on('closed', resolve))
      expect(await closed).toMatchObject({ reason: 'drain timed out' })
    })

    it('is interrupted by a close', async () => {
      const session = new FakeSession()
      session.speech = never()
      const call = guardLiveKit(session, { closeTimeout: 5_000 })
      await session.start()
      session.shutdown()
      await delay(5)
      await session.close()
      expect(session.calls).toContain('interrupt')
      expect((await call.close()).steps).toMatchObject([{ name: 'close', outcome: 'done' }, {}])
    })

    it('is closed at once with `drain: false`', async () => {
      const session = new FakeSession()
      const call = guardLiveKit(session, { closeTimeout: 300 })
      await session.start()
      session.shutdown({ drain: false })
      expect(call.state).toBe('closing')
      await call.close()
      expect(session.calls).toEqual(['start undefined', 'close'])
    })
  })

  it('can be closed before it is started', async () => {
    const session = new FakeSession()
    const call = guardLiveKit(session)
    await session.close()
    expect((await call.close()).graceful).toBe(true)
  })
})
