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

/** As the queue of the framework: to close it is the only goodbye there is. */
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

/** One connection of a run: its messages, and nothing when it is closed. */
class Connection {
  readonly socket = new WebSocket(vendor.url)
  readonly #inbox: (string | undefined)[] = []
  #wake = (): void => {}

  constructor() {
    this.socket.on('error', () => {})
    this.socket.on('message', (data: Buffer) => this.#take(data.toString()))
  }

  /** As the SDK below: if it never opens, it never settles. */
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

/** As a live run of the framework: nothing in it looks after its socket when its loop is left. */
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

/** Goes through the events, as an app does. */
async function through(call: GuardedAdk<string>, heard: string[] = []): Promise<string[]> {
  for await (const event of call.events) heard.push(event)
  return heard
}

describe('a guarded run of the ADK', () => {
  it('is gone through, and closed by its queue', async () => {
    const queue = new Queue()
    const call = guarded(queue)
    const heard: string[] = []
    const loop = through(call, heard)
    await vendor.until(() => vendor.open === 1)
    vendor.send('again')
    expect(await call.close()).toMatchObject({ graceful: true, severed: [] })
    expect(queue.closed).toBe(true)
    await loop
    expect(heard[0]).toBe('hello')
    await vendor.whenIdle()
  })

  it('[GD1] [GD2] is closed when its loop is left: by break, by return, by an error', async () => {
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

  it('ends the loop in time if the other side ignores the close frame', async () => {
    vendor.manners = { ...vendor.manners, closeReply: 'never' }
    const call = guarded(new Queue())
    const loop = through(call)
    await vendor.until(() => vendor.open === 1)
    expect(await call.close()).toMatchObject({ graceful: false, severed: [{ kind: 'socket' }] })
    await loop
    await vendor.whenIdle()
  })

  it('ends the loop in time without its queue, with a tool that never returns, while it is connecting', async () => {
    const alone = guardAdk(runLive(new Queue()), { closeTimeout: 500 })
    const busy = guarded(new Queue(), { tool: never })
    const loops = [through(alone), through(busy)]
    await vendor.until(() => vendor.open === 2)
    vendor.send('tool')
    vendor.manners = { connect: 'never' }
    const connecting = guarded(new Queue())
    loops.push(through(connecting))
    await vendor.until(() => vendor.open === 3)
    for (const call of [alone, busy, connecting]) expect((await call.close()).graceful).toBe(false)
    await Promise.all(loops)
    await vendor.whenIdle()
  })

  it('[GD2] opens nothing after a goAway that comes while it is closing', async () => {
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

  it('aborts the signal of the run, after the queue had its say', async () => {
    const queue = new Queue()
    const abort = new AbortController()
    const seen: boolean[] = []
    const call = guarded(queue, { signal: abort.signal }, { abort })
    const loop = through(call)
    await vendor.until(() => vendor.open === 1)
    abort.signal.addEventListener('abort', () => seen.push(queue.closed))
    expect(await call.close()).toMatchObject({ graceful: true })
    expect(seen).toEqual([true])
    await loop
  })

  it('passes the error of a run on, and is over', async () => {
    vendor.manners = { opened: (peer) => peer.send('fail') }
    const call = guarded(new Queue())
    await expect(through(call)).rejects.toThrow('the model failed')
    expect(await call.close()).toMatchObject({ reason: 'the run failed', graceful: true })
    await vendor.whenIdle()
  })

  it('is over when the run ends by itself: a drop is no more than that to the framework', async () => {
    const call = guarded(new Queue())
    const loop = through(call)
    await vendor.until(() => vendor.open === 1)
    vendor.drop()
    expect(await loop).toBeInstanceOf(Array)
    expect(await call.close()).toMatchObject({ graceful: true, reason: 'the run ended' })
  })

  it('has opened nothing if nobody has gone through it', async () => {
    const call = guarded(new Queue())
    expect(await call.close()).toMatchObject({ graceful: true })
    expect(await through(call)).toEqual([])
    expect(vendor.total).toBe(0)
  })
})
