import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { guardLiveKit, outside, type LiveKitCloseEvent, type LiveKitRoom } from '../../src/guard/index.ts'
import '../../src/guard/install.ts'
import { delay, never, openWebSocket } from './clients.ts'
import { FarSide } from './far-side.ts'

let far: FarSide
beforeEach(async () => {
  far = await FarSide.listen()
})
afterEach(() => far.close())

/** Behaves as an `AgentSession` of `@livekit/agents` does, as far as its end goes. `bench/peers` has the real ones. */
class FakeSession extends EventEmitter {
  readonly #closing = new AbortController()
  #closingTask: Promise<void> | undefined
  readonly calls: string[] = []
  /** What the close waits for before it is over: nothing unless set. */
  hook: () => unknown = () => {}
  /** What a drain waits for. */
  speech: Promise<void> = Promise.resolve()
  #interrupted: () => void = () => {}

  get _closingSignal(): AbortSignal {
    return this.#closing.signal
  }

  async start(options: { agent?: string; room?: LiveKitRoom } = {}): Promise<void> {
    this.calls.push(`start ${options.agent}`)
    await openWebSocket(far.ws)
  }

  say(): Promise<unknown> {
    this.calls.push('say')
    return openWebSocket(far.ws)
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

  /** As when the framework closes it by itself: the participant has gone. */
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

describe('a guarded session of LiveKit', () => {
  it('[GD1] [GD2] is closed in time by its own close(), for those who have had it before, too', async () => {
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
    await far.until(() => far.open === 0)
  })

  it('has one close event, its own if it gets that far', async () => {
    const session = new FakeSession()
    const events = closesOf(session)
    guardLiveKit(session, { closeTimeout: 600 })
    await session.start()
    await session.close()
    expect(events).toMatchObject([{ reason: 'user_initiated' }])
  })

  it('has no second close event when a close that was given up comes to its end', async () => {
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

  it('is closed in time when the framework begins to close it by itself', async () => {
    const session = new FakeSession()
    session.hook = never
    const call = guardLiveKit(session, { closeTimeout: 300 })
    await session.start()
    const closed = new Promise((resolve) => call.on('closed', resolve))
    session.closeSoon()
    expect(await closed).toMatchObject({ graceful: false, severed: [{ kind: 'socket' }] })
  })

  it('is closed when its room is disconnected, and lets the room go', async () => {
    const session = new FakeSession()
    const room = new EventEmitter()
    const call = guardLiveKit(session, { closeTimeout: 300 })
    await session.start({ room })
    room.emit('disconnected')
    expect(call.state).toBe('closing')
    await call.close()
    expect(room.listenerCount('disconnected')).toBe(0)
  })

  it('enters the context by every method, whoever calls it', async () => {
    const session = new FakeSession()
    const call = guardLiveKit(session, { closeTimeout: 300, linger: 0 })
    await session.start()
    await session.say()
    const report = await call.close()
    expect(report.severed).toHaveLength(2)
    expect(report.unowned).toEqual([])
  })

  it('leaves listeners in the context of those who add them, however they are added and removed', async () => {
    const session = new FakeSession()
    const call = guardLiveKit(session, { closeTimeout: 500 })
    await session.start()
    const opened: Promise<unknown>[] = []
    const save = (): void => void opened.push(openWebSocket(far.ws))
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
    expect(far.open).toBe(2)
  })

  describe('that is shut down', () => {
    it('may finish what is being said, for longer than a close may take', async () => {
      const session = new FakeSession()
      session.speech = delay(400)
      const call = guardLiveKit(session, { closeTimeout: 100 })
      await session.start()
      session.shutdown()
      await delay(200)
      expect(call.state).toBe('live')
      await new Promise((resolve) => call.on('closed', resolve))
      expect(session.calls).not.toContain('interrupt')
    })

    it('is closed when that takes too long', async () => {
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

    it('is closed at once if it wants no drain', async () => {
      const session = new FakeSession()
      const call = guardLiveKit(session, { closeTimeout: 300 })
      await session.start()
      session.shutdown({ drain: false })
      expect(call.state).toBe('closing')
      await call.close()
      expect(session.calls).toEqual(['start undefined', 'close'])
    })
  })

  it('can be closed without having been started', async () => {
    const session = new FakeSession()
    const call = guardLiveKit(session)
    await session.close()
    expect((await call.close()).graceful).toBe(true)
  })
})
