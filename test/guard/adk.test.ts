import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { guardAdk, type GuardAdkOptions, type GuardedAdk } from '../../src/guard/index.ts'
import '../../src/guard/install.ts'
import { never } from './clients.ts'
import { Vendor } from './vendor.ts'

let vendor: Vendor
beforeEach(async () => {
  vendor = await Vendor.listen()
  vendor.manners = { opened: (peer) => peer.send('hello') }
})
afterEach(() => vendor.close())

/** Like the framework's queue: closing it is the only way to end the conversation. */
class Queue {
  closed = false
  onClose = (): void => {}

  close(): void {
    this.closed = true
    this.onClose()
  }
}

interface RunOptions {
  readonly tool?: () => Promise<unknown>
  readonly signal?: AbortSignal
}

/** One connection of a run. Its messages end when it is closed. */
class Connection {
  readonly socket = new WebSocket(vendor.url)
  readonly #inbox: (string | undefined)[] = []
  #wake = (): void => {}

  constructor() {
    this.socket.on('error', () => {})
    this.socket.on('message', (data: Buffer) => this.#take(data.toString()))
  }

  /** Like the SDK underneath: never settles if the connection never opens. */
  async open(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.socket.once('open', resolve)
    })
    this.socket.on('close', () => this.#take(undefined))
  }

  async receive(): Promise<string | undefined> {
    while (this.#inbox.length === 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    return this.#inbox.shift()
  }

  #take(message: string | undefined): void {
    this.#inbox.push(message)
    this.#wake()
  }
}

/** Like a live run of the framework: leaving its loop does not close its socket. */
async function* runLive(queue: Queue, run: RunOptions = {}): AsyncGenerator<string, void, undefined> {
  for (;;) {
    if (run.signal?.aborted) return
    const connection = new Connection()
    await connection.open()
    queue.onClose = () => connection.socket.close()
    if (queue.closed) connection.socket.close()
    for (;;) {
      const message = await connection.receive()
      if (message === undefined) return
      if (message === 'fail') throw new Error('the model failed')
      if (message === 'goAway') break
      if (message === 'tool') await run.tool?.()
      yield message
    }
    connection.socket.close()
  }
}

const guarded = (queue: Queue, run: RunOptions = {}, options: GuardAdkOptions = {}): GuardedAdk<string> =>
  guardAdk(runLive(queue, run), { name: 'call', closeTimeout: 900, linger: 200, queue, ...options })

/** Iterates over the events, like an app. */
async function consume(call: GuardedAdk<string>, events: string[] = []): Promise<string[]> {
  for await (const event of call.events) events.push(event)
  return events
}

describe('a guarded ADK run', () => {
  it('yields its events and is closed by its queue', async () => {
    const queue = new Queue()
    const call = guarded(queue)
    const events: string[] = []
    const loop = consume(call, events)
    await vendor.until(() => vendor.open === 1)
    vendor.send('again')
    expect(await call.close()).toMatchObject({ graceful: true, severed: [] })
    expect(queue.closed).toBe(true)
    await loop
    expect(events[0]).toBe('hello')
    await vendor.whenIdle()
  })

  it('[GD1] [GD2] is closed when its loop is left by break, return or an error', async () => {
    const call = guarded(new Queue())
    for await (const event of call.events) {
      expect(event).toBe('hello')
      break
    }
    expect(call.state).toBe('closed')
    expect(await call.close()).toMatchObject({ graceful: true, reason: 'the loop was left' })

    const other = guarded(new Queue())
    const failing = (async () => {
      for await (const event of other.events) throw new Error(event)
    })()
    await expect(failing).rejects.toThrow('hello')
    expect(other.state).toBe('closed')
    await vendor.whenIdle()
  })

  it('ends the loop in time if the peer ignores the close frame', async () => {
    vendor.manners = { ...vendor.manners, closeReply: 'never' }
    const call = guarded(new Queue())
    const loop = consume(call)
    await vendor.until(() => vendor.open === 1)
    expect(await call.close()).toMatchObject({ graceful: false, severed: [{ kind: 'socket' }] })
    await loop
    await vendor.whenIdle()
  })

  it('ends the loop in time without a queue, with a tool that never returns, and while connecting', async () => {
    const alone = guardAdk(runLive(new Queue()), { closeTimeout: 500 })
    const busy = guarded(new Queue(), { tool: never })
    const loops = [consume(alone), consume(busy)]
    await vendor.until(() => vendor.open === 2)
    vendor.send('tool')
    vendor.manners = { connect: 'never' }
    const connecting = guarded(new Queue())
    loops.push(consume(connecting))
    await vendor.until(() => vendor.open === 3)
    for (const call of [alone, busy, connecting]) expect((await call.close()).graceful).toBe(false)
    await Promise.all(loops)
    await vendor.whenIdle()
  })

  it('[GD2] opens nothing after a goAway that arrives while it is closing', async () => {
    const call = guarded(new Queue())
    expect(await call.events.next()).toEqual({ done: false, value: 'hello' })
    const next = call.events.next()
    vendor.send('goAway')
    const report = await call.close()
    expect(await next).toMatchObject({ done: true })
    expect(report.refused).toBe(1)
    await vendor.whenIdle()
    expect(vendor.total).toBe(1)
  })

  it("aborts the run's signal after closing the queue", async () => {
    const queue = new Queue()
    const abort = new AbortController()
    const seen: boolean[] = []
    const call = guarded(queue, { signal: abort.signal }, { abort })
    const loop = consume(call)
    await vendor.until(() => vendor.open === 1)
    abort.signal.addEventListener('abort', () => seen.push(queue.closed))
    expect(await call.close()).toMatchObject({ graceful: true })
    expect(seen).toEqual([true])
    await loop
  })

  it('rethrows an error of the run and is closed', async () => {
    vendor.manners = { opened: (peer) => peer.send('fail') }
    const call = guarded(new Queue())
    await expect(consume(call)).rejects.toThrow('the model failed')
    expect(await call.close()).toMatchObject({ reason: 'the run failed', graceful: true })
    await vendor.whenIdle()
  })

  it('is closed when the run ends by itself, which is all the framework shows of a drop', async () => {
    const call = guarded(new Queue())
    const loop = consume(call)
    await vendor.until(() => vendor.open === 1)
    vendor.drop()
    expect(await loop).toBeInstanceOf(Array)
    expect(await call.close()).toMatchObject({ graceful: true, reason: 'the run ended' })
  })

  it('opens nothing if its events are never iterated', async () => {
    const call = guarded(new Queue())
    expect(await call.close()).toMatchObject({ graceful: true })
    expect(await consume(call)).toEqual([])
    expect(vendor.total).toBe(0)
  })
})
