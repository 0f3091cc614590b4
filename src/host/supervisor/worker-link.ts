import type { Socket } from 'node:net'
import { systemClock, type Clock, type Timer } from '../../scope/index.ts'
import type { Order } from '../journal/journal.ts'
import { RequestFailedError, SupervisorLostError } from './errors.ts'
import { limits } from './limits.ts'
import {
  IDENTITY,
  type PassedRequest,
  type SupervisorMessage,
  type WorkerIdentity,
  type WorkerMessage,
} from './messages.ts'
import { exitCodes } from '../exit-codes.ts'

/** The part of `process` that a link uses. */
export interface WorkerProcess {
  readonly env: Record<string, string | undefined>
  readonly connected: boolean
  send?(
    message: unknown,
    handle: Socket | undefined,
    options: { keepOpen: boolean } | undefined,
    done: (error: Error | null) => void,
  ): boolean
  on(event: 'message', listener: (message: unknown, handle: unknown) => void): unknown
  on(event: 'disconnect' | NodeJS.Signals, listener: () => void): unknown
  exit(code: number): void
  readonly stdout?: ErrorSource
  readonly stderr?: ErrorSource
}

interface ErrorSource {
  on(event: 'error', listener: () => void): unknown
}

/** Why all calls are closed. `supervisor-lost`: reports go into the spool, because nothing else is left to write them. */
export type CloseCause = 'drained' | 'supervisor-lost'

/**
 * A worker's link to its supervisor. It belongs to the main thread of a worker process, which
 *
 * 1. creates it with `WorkerLink.open()`, before it loads the agent file,
 * 2. calls `ready(address)` once it takes calls, and `calls(count)` when their number changes,
 * 3. serves the sockets it gets by `onConnection`: `server.emit('connection', socket)`. The supervisor listens on the public
 *    port, so that connections wait while a worker is replaced. A worker must not listen on that port itself.
 * 4. on `onDrain`, takes no new calls and finishes those it has, at the latest within `within`; on `onClose`, closes them,
 * 5. calls `exit({ clean, written })` when its last call has ended and its report was written, or spooled.
 *
 * If the supervisor dies, `onClose` is called with the cause `supervisor-lost`, requests reject with `SupervisorLostError`,
 * and the process exits within `closeTimeout` and two seconds, whatever it does (HO22).
 */
export class WorkerLink {
  readonly identity: WorkerIdentity
  readonly #process: WorkerProcess
  readonly #clock: Clock
  readonly #requests = new Map<number, { resolve: (body: unknown) => void; reject: (error: Error) => void }>()
  readonly #draining = new Ask<{ readonly within: number }>()
  readonly #closing = new Ask<{ readonly within: number; readonly cause: CloseCause }>()
  #onAbort: (() => void) | undefined
  #onOrder: ((order: Order) => void) | undefined
  #onHost: ((id: string) => void) | undefined
  #onWake: (() => void) | undefined
  #onConnection: ((socket: Socket) => void) | undefined
  #onPassed: ((socket: Socket, request: PassedRequest) => void) | undefined
  #onMetrics: (() => unknown) | undefined
  #lastId = 0
  #backstop: Timer | undefined

  private constructor(identity: WorkerIdentity, ownProcess: WorkerProcess, clock: Clock) {
    this.identity = identity
    this.#process = ownProcess
    this.#clock = clock
    ownProcess.on('message', (message, handle) => this.#handle(message as SupervisorMessage, handle))
    ownProcess.on('disconnect', () => this.#lost())
    // The supervisor reads what the worker prints. Once it is dead, printing fails, and must not end the worker before its
    // calls (HO22).
    for (const stream of [ownProcess.stdout, ownProcess.stderr]) stream?.on('error', () => {})
    // A service manager may send the signal to all processes of a service. The supervisor alone decides what it means.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) ownProcess.on(signal, () => {})
    // Until the worker listens, it has no calls to close. It may still be loading, for as long as it takes.
    this.#closing.listen(() => this.exit({ clean: true, written: true }))
  }

  /** Returns undefined in a process that no supervisor has started. */
  static open(ownProcess: WorkerProcess = process, clock: Clock = systemClock): WorkerLink | undefined {
    const identity = ownProcess.env[IDENTITY]
    // Processes that the worker starts inherit its environment, and are no workers.
    delete ownProcess.env[IDENTITY]
    if (identity === undefined || !ownProcess.send) return undefined
    return new WorkerLink(JSON.parse(identity) as WorkerIdentity, ownProcess, clock)
  }

  /** Whether the supervisor is there. */
  get connected(): boolean {
    return this.#process.connected
  }

  /** The worker takes calls. Other processes reach it at `address`. */
  ready(address?: string): void {
    this.#send({ type: 'ready', ...(address === undefined ? {} : { address }) })
  }

  calls(count: number): void {
    this.#send({ type: 'calls', count })
  }

  /** Has the supervisor do something, such as writing to the journal. */
  request(body: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (!this.connected) return reject(new SupervisorLostError())
      const id = ++this.#lastId
      this.#requests.set(id, { resolve, reject })
      this.#send({ type: 'request', id, body })
    })
  }

  /** Take no new calls, and exit after the last. Called at once if the order came before. */
  onDrain(listener: (order: { readonly within: number }) => void): void {
    this.#draining.listen(listener)
  }

  /** Close all calls within this time, and exit. Without a listener, the process exits at once. */
  onClose(listener: (order: { readonly within: number; readonly cause: CloseCause }) => void): void {
    this.#closing.listen(listener)
  }

  /** Abort all calls. */
  onAbort(listener: () => void): void {
    this.#onAbort = listener
  }

  onOrder(listener: (order: Order) => void): void {
    this.#onOrder = listener
  }

  /** The host has a new id: let go of all calls. */
  onHost(listener: (id: string) => void): void {
    this.#onHost = listener
  }

  /** Work may be due; or, for a call worker, calls of other workers have changed. */
  onWake(listener: () => void): void {
    this.#onWake = listener
  }

  /** Sockets that were opened to the public port. They are paused. */
  onConnection(listener: (socket: Socket) => void): void {
    this.#onConnection = listener
  }

  /**
   * Has another worker answer the request of a connection, of which nothing has been answered. Calls `failed` if the
   * connection could not be sent.
   */
  pass(socket: Socket, { head, hops }: PassedRequest, failed: () => void): void {
    const message: WorkerMessage = { type: 'pass', head, hops }
    // Otherwise the server that accepted it would, to close, ask the supervisor whether the socket has ended.
    Object.assign(socket, { server: undefined })
    // This copy would read what the caller sends to the other worker.
    const sent = (error: Error | null): void => void (error ? failed() : socket.destroy())
    try {
      if (!this.connected || !this.#process.send) return failed()
      this.#process.send(message, socket, { keepOpen: true }, sent)
    } catch {
      failed()
    }
    return undefined
  }

  /** Sockets that other workers have passed on, with the request that was read from them. */
  onPassed(listener: (socket: Socket, request: PassedRequest) => void): void {
    this.#onPassed = listener
  }

  /** Answers the supervisor's request for metrics. */
  onMetrics(listener: () => unknown): void {
    this.#onMetrics = listener
  }

  /** Reports how the worker's calls ended, and exits. */
  exit(end: { readonly clean: boolean; readonly written: boolean }): void {
    const code = end.written ? (end.clean ? exitCodes.clean : exitCodes.unclean) : exitCodes.unwritten
    this.#backstop?.clear()
    this.#send({ type: 'drained', ...end }, () => this.#process.exit(code))
  }

  #send(message: WorkerMessage, done: () => void = () => {}): void {
    if (!this.connected) return done()
    try {
      // The supervisor may end at any time: 'disconnect' says so.
      this.#process.send?.(message, undefined, undefined, done)
    } catch {
      done()
    }
  }

  #handle(message: SupervisorMessage, handle: unknown): void {
    switch (message.type) {
      case 'drain':
        return this.#draining.give({ within: message.within })
      case 'close':
        return this.#closing.give({ within: message.within, cause: 'drained' })
      case 'abort':
        return this.#onAbort?.()
      case 'order':
        return this.#onOrder?.({ call: message.call, order: message.order })
      case 'host':
        return this.#onHost?.(message.id)
      case 'wake':
        return this.#onWake?.()
      case 'connection':
        return this.#connection(handle as Socket | undefined)
      case 'passed':
        return this.#passed(handle as Socket | undefined, message)
      case 'metrics':
        return this.#metrics(message.id)
      case 'answer': {
        const request = this.#requests.get(message.id)
        this.#requests.delete(message.id)
        if (message.error) request?.reject(new RequestFailedError(message.error))
        else request?.resolve(message.body)
        return undefined
      }
    }
  }

  /** The socket is missing if its peer hung up while it was handed over. */
  #connection(socket: Socket | undefined): void {
    // Before anything is read: until then, the supervisor can give the connection to another worker.
    this.#send({ type: 'taken' })
    if (this.#onConnection && socket) this.#onConnection(socket)
    else socket?.destroy()
  }

  #passed(socket: Socket | undefined, request: PassedRequest): void {
    if (this.#onPassed && socket) this.#onPassed(socket, request)
    else socket?.destroy()
  }

  #metrics(id: number): void {
    const answer = (body: unknown): void => this.#send({ type: 'metrics', id, body })
    new Promise((resolve) => {
      resolve(this.#onMetrics?.())
    }).then(answer, () => answer(undefined))
  }

  #lost(): void {
    const { closeTimeout } = this.identity
    for (const { reject } of this.#requests.values()) reject(new SupervisorLostError())
    this.#requests.clear()
    this.#backstop = this.#clock.after(closeTimeout + limits.exit, 'exit without a supervisor', () =>
      this.#process.exit(exitCodes.unwritten),
    )
    this.#closing.give({ within: closeTimeout, cause: 'supervisor-lost' })
  }
}

/** An order that may come before there is a listener. It is given once: a repetition changes nothing. */
class Ask<T> {
  #order: T | undefined
  #listener: ((order: T) => void) | undefined

  listen(listener: (order: T) => void): void {
    this.#listener = listener
    if (this.#order) listener(this.#order)
  }

  give(order: T): void {
    if (this.#order) return
    this.#order = order
    this.#listener?.(order)
  }
}
