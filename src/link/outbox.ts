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
  /** The peer has not answered in time. */
  unanswered(connection: LiveConnection): void
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
  readonly #answerTimeout: number | undefined
  #current: LiveConnection | undefined
  #closed = false
  /** Set while the peer does not keep up. */
  #congestionTimer: Timer | undefined
  /** Set while the peer owes an answer. */
  #answerTimer: Timer | undefined

  constructor(clock: Clock, { name, queue, keepAlive, timing }: Protocol, host: OutboxHost) {
    this.#clock = clock
    this.#name = name
    this.#host = host
    this.#queue = new SendQueue(queue?.audio ?? 250, queue?.control ?? 1_000)
    this.#heartbeat = keepAlive && new Heartbeat(clock, name, keepAlive)
    this.#answerTimeout = timing?.answer
  }

  get queued(): number {
    return this.#queue.size
  }

  get dropped(): number {
    return this.#queue.dropped
  }

  send(data: Data): void {
    if (this.#sendNow(data)) this.#expectAnswer()
    else if (this.#closed) return
    else if (this.#queue.pushControl(data)) this.#flushSoon()
    else this.#host.overflow()
  }

  sendAudio(data: Data): void {
    if (this.#sendNow(data) || this.#closed) return
    this.#queue.pushAudio(data)
    this.#flushSoon()
  }

  /** To be called for each message from the peer: any message counts as an answer. */
  heard(): void {
    this.#answerTimer?.clear()
    this.#answerTimer = undefined
  }

  /** Sends on this connection from now on, beginning with the queue. */
  use(connection: LiveConnection): void {
    this.heard()
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
    this.heard()
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
    this.#congestionTimer = this.#after(limits.congestionCheck, 'congested', () => {
      this.#congestionTimer = undefined
      this.#flush()
    })
  }

  #expectAnswer(): void {
    if (this.#answerTimeout === undefined) return
    this.#answerTimer ??= this.#after(this.#answerTimeout, 'answer', () => {
      this.#answerTimer = undefined
      if (this.#current) this.#host.unanswered(this.#current)
    })
  }

  #after(ms: number, what: string, callback: () => void): Timer {
    return this.#clock.after(ms, `link '${this.#name}': ${what}`, callback)
  }
}
