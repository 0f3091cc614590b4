import type { Clock, Timer } from '../scope/index.ts'
import { Heartbeat } from './heartbeat.ts'
import { limits } from './limits.ts'
import type { LiveConnection } from './live-connection.ts'
import type { Data, Protocol } from './protocol.ts'
import { SendQueue } from './send-queue.ts'

/** Receives the events of an outbox: the link. */
export interface OutboxHost {
  /** The queue of control messages is full. */
  overflow(): void
  /** A keep-alive frame is due. */
  keepAlive(connection: LiveConnection): void
}

/** The sending side of a link. Sends on the current connection if it can take the data now, and queues it otherwise. */
export class Outbox {
  readonly #clock: Clock
  readonly #name: string
  readonly #host: OutboxHost
  readonly #queue: SendQueue
  readonly #heartbeat: Heartbeat | undefined
  #current: LiveConnection | undefined
  #closed = false
  /** Set while the peer does not keep up. */
  #congestionTimer: Timer | undefined

  constructor(clock: Clock, { name, queue, keepAlive }: Protocol, host: OutboxHost) {
    this.#clock = clock
    this.#name = name
    this.#host = host
    this.#queue = new SendQueue(queue?.audio ?? 250, queue?.control ?? 1_000)
    this.#heartbeat = keepAlive && new Heartbeat(clock, name, keepAlive)
  }

  get queued(): number {
    return this.#queue.size
  }

  get dropped(): number {
    return this.#queue.dropped
  }

  send(data: Data): void {
    if (this.#sendNow(data) || this.#closed) return
    if (this.#queue.pushControl(data)) this.#flushSoon()
    else this.#host.overflow()
  }

  sendAudio(data: Data): void {
    if (this.#sendNow(data) || this.#closed) return
    this.#queue.pushAudio(data)
    this.#flushSoon()
  }

  /** Sends on this connection from now on, beginning with the queue. */
  use(connection: LiveConnection): void {
    this.#current = connection
    this.#heartbeat?.start(() => this.#host.keepAlive(connection))
    this.#flush()
  }

  /** There is no connection: queues what is sent. */
  hold(): void {
    this.#current = undefined
    this.#heartbeat?.stop()
    this.#congestionTimer?.clear()
    this.#congestionTimer = undefined
  }

  /** Discards the queue and everything that is sent from now on. */
  close(): void {
    this.#closed = true
    this.hold()
    this.#queue.clear()
  }

  /** The hot path of nearly every frame: it allocates nothing. */
  #sendNow(data: Data): boolean {
    if (this.#queue.size > 0 || !this.#current?.trySend(data)) return false
    this.#heartbeat?.sent()
    return true
  }

  #flush(): void {
    const current = this.#current
    if (!current || this.#queue.size === 0) return
    this.#queue.flush((data) => current.trySend(data))
    this.#heartbeat?.sent()
    this.#flushSoon()
  }

  /** Checks at intervals whether the peer has caught up. */
  #flushSoon(): void {
    if (this.#congestionTimer || !this.#current || this.#queue.size === 0) return
    const name = `link '${this.#name}': congested`
    this.#congestionTimer = this.#clock.after(limits.congestionCheck, name, () => {
      this.#congestionTimer = undefined
      this.#flush()
    })
  }
}
