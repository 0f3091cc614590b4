import type { Clock, Timer } from '../scope/index.ts'
import { Heartbeat } from './heartbeat.ts'
import { limits } from './limits.ts'
import type { LiveConnection } from './live-connection.ts'
import type { Data, Protocol } from './protocol.ts'
import { SendQueue } from './send-queue.ts'

/** What a link's outbox tells it. */
export interface OutboxHost {
  /** More messages wait than may. */
  overflow(): void
  /** The peer owes an answer too long. */
  unanswered(connection: LiveConnection): void
  /** Nothing was sent over the connection for a while. */
  quiet(connection: LiveConnection): void
}

/** The sending side of a link: straight to the connection in use if it takes it, else into the queue. */
export class Outbox {
  readonly #clock: Clock
  readonly #name: string
  readonly #host: OutboxHost
  readonly #queue: SendQueue
  readonly #heartbeat: Heartbeat | undefined
  readonly #answerWithin: number | undefined
  #serving: LiveConnection | undefined
  #closed = false
  /** Set while the peer does not keep up. */
  #look: Timer | undefined
  /** Set while the peer owes an answer. */
  #owed: Timer | undefined

  constructor(clock: Clock, { name, queue, keepAlive, timing }: Protocol, host: OutboxHost) {
    this.#clock = clock
    this.#name = name
    this.#host = host
    this.#queue = new SendQueue(queue?.audio ?? 250, queue?.control ?? 1_000)
    this.#heartbeat = keepAlive && new Heartbeat(clock, name, keepAlive)
    this.#answerWithin = timing?.answer
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
    else if (this.#queue.pushControl(data)) this.#lookSoon()
    else this.#host.overflow()
  }

  sendAudio(data: Data): void {
    if (this.#sendNow(data) || this.#closed) return
    this.#queue.pushAudio(data)
    this.#lookSoon()
  }

  /** The peer said something: it owes nothing. */
  heard(): void {
    this.#owed?.clear()
    this.#owed = undefined
  }

  /** Uses this connection from now on, beginning with what waits. */
  serve(connection: LiveConnection): void {
    this.heard()
    this.#serving = connection
    this.#heartbeat?.start(() => this.#host.quiet(connection))
    this.#flush()
  }

  /** There is no connection: what is sent has to wait. */
  hold(): void {
    this.#serving = undefined
    this.#heartbeat?.stop()
    this.#look?.clear()
    this.#look = undefined
    this.heard()
  }

  /** Nothing is taken any more, and what waits is thrown away. */
  close(): void {
    this.#closed = true
    this.hold()
    this.#queue.clear()
  }

  /** The way of nearly every frame: nothing is made on it. */
  #sendNow(data: Data): boolean {
    if (this.#queue.size > 0 || !this.#serving?.take(data)) return false
    this.#heartbeat?.sent()
    return true
  }

  #flush(): void {
    const serving = this.#serving
    if (!serving || this.#queue.size === 0) return
    this.#queue.flush((data) => serving.take(data))
    this.#heartbeat?.sent()
    this.#lookSoon()
  }

  /** The peer does not keep up: looks again until it does. */
  #lookSoon(): void {
    if (this.#look || !this.#serving || this.#queue.size === 0) return
    this.#look = this.#after(limits.look, 'congested', () => {
      this.#look = undefined
      this.#flush()
    })
  }

  #expectAnswer(): void {
    if (this.#answerWithin === undefined) return
    this.#owed ??= this.#after(this.#answerWithin, 'answer', () => {
      this.#owed = undefined
      if (this.#serving) this.#host.unanswered(this.#serving)
    })
  }

  #after(ms: number, what: string, callback: () => void): Timer {
    return this.#clock.after(ms, `link '${this.#name}': ${what}`, callback)
  }
}
