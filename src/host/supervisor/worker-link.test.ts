import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { VirtualTime } from '../../testing/virtual-time.ts'
import { limits } from './limits.ts'
import { exitCodes } from '../exit-codes.ts'
import { WorkerLink, type WorkerProcess } from './worker-link.ts'

const identity = { name: 'w1', role: 'calls', closeTimeout: 5_000 }

/** The process of a worker, and what its supervisor gets from it. */
class FakeProcess extends EventEmitter implements WorkerProcess {
  readonly env: Record<string, string | undefined> = { ENDWELL_WORKER: JSON.stringify(identity) }
  readonly sent: unknown[] = []
  connected = true
  exited: number | undefined

  send(
    message: unknown,
    _handle: undefined,
    _options: undefined,
    done: (error: Error | null) => void,
  ): boolean {
    this.sent.push(message)
    done(null)
    return true
  }

  exit(code: number): void {
    this.exited ??= code
  }

  lose(): void {
    this.connected = false
    this.emit('disconnect')
  }
}

function open(): { link: WorkerLink; worker: FakeProcess; time: VirtualTime } {
  const worker = new FakeProcess()
  const time = new VirtualTime()
  return { link: WorkerLink.open(worker, time.clock)!, worker, time }
}

describe("a worker's link to its supervisor", () => {
  it('is there only in a process that a supervisor has started', () => {
    const worker = new FakeProcess()
    expect(WorkerLink.open(worker)?.identity).toEqual(identity)
    expect(WorkerLink.open(worker)).toBeUndefined()
  })

  it('reports readiness, calls and the end, and exits', () => {
    const { link, worker } = open()
    link.ready('127.0.0.1:4000')
    link.calls(2)
    link.exit({ clean: true, written: true })
    expect(worker.sent).toEqual([
      { type: 'ready', address: '127.0.0.1:4000' },
      { type: 'calls', count: 2 },
      { type: 'drained', clean: true, written: true },
    ])
    expect(worker.exited).toBe(exitCodes.clean)
  })

  it('hands an order to drain to a listener that comes later, and each order once', () => {
    const { link, worker } = open()
    worker.emit('message', { type: 'drain', within: 100 })
    worker.emit('message', { type: 'drain', within: 100 })
    const orders: unknown[] = []
    link.onDrain((order) => orders.push(order))
    link.onClose((order) => orders.push(order))
    worker.emit('message', { type: 'close', within: 50 })
    worker.emit('message', { type: 'close', within: 50 })
    expect(orders).toEqual([{ within: 100 }, { within: 50, cause: 'drained' }])
    expect(worker.exited).toBeUndefined()
  })

  it('[RL3] exits at once on an order to close while the worker is still loading', () => {
    const { worker } = open()
    worker.emit('message', { type: 'close', within: 50 })
    expect(worker.sent).toEqual([{ type: 'drained', clean: true, written: true }])
    expect(worker.exited).toBe(exitCodes.clean)
  })

  it('settles requests by their id', async () => {
    const { link, worker } = open()
    const [first, second] = [link.request('a'), link.request('b')]
    worker.emit('message', { type: 'answer', id: 2, error: { code: 'JOURNAL', message: 'disk full' } })
    worker.emit('message', { type: 'answer', id: 1, body: 7 })
    expect(await first).toBe(7)
    await expect(second).rejects.toMatchObject({ code: 'REQUEST_FAILED', answer: { code: 'JOURNAL' } })
  })

  it('answers a request for metrics, even if they cannot be had', async () => {
    const { link, worker, time } = open()
    link.onMetrics(() => Promise.reject(new Error('no metrics')))
    worker.emit('message', { type: 'metrics', id: 4 })
    await time.elapse(0)
    expect(worker.sent).toEqual([{ type: 'metrics', id: 4, body: undefined }])
  })

  it('destroys a socket that nothing takes', () => {
    const { worker } = open()
    let destroyed = false
    const socket = { destroy: () => (destroyed = true) } as unknown as Socket
    worker.emit('message', { type: 'connection' }, socket)
    worker.emit('message', { type: 'connection' }, undefined)
    expect(destroyed).toBe(true)
  })

  it('ignores signals: the supervisor decides what they mean', () => {
    const { worker } = open()
    expect(worker.emit('SIGTERM')).toBe(true)
    expect(worker.exited).toBeUndefined()
  })

  it('[HO22] closes all calls when the supervisor is lost, rejects requests, and exits in any case', async () => {
    const { link, worker, time } = open()
    const pending = link.request('open')
    const closes: unknown[] = []
    link.onClose((order) => closes.push(order))
    worker.lose()
    expect(closes).toEqual([{ within: 5_000, cause: 'supervisor-lost' }])
    await expect(pending).rejects.toMatchObject({ code: 'SUPERVISOR_LOST' })
    await expect(link.request('close')).rejects.toMatchObject({ code: 'SUPERVISOR_LOST' })
    await time.elapse(5_000 + limits.exit)
    expect(worker.exited).toBe(exitCodes.unwritten)
  })

  it('[HO22] exits as usual if the calls were spooled in time', () => {
    const { link, worker, time } = open()
    worker.lose()
    link.exit({ clean: true, written: true })
    expect(worker.exited).toBe(exitCodes.clean)
    expect(time.clock.timers.list()).toEqual([])
  })
})
