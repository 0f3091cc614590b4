import { OptionError, type Scope, type Timer } from '../scope/index.ts'
import { EventStream } from './event-stream.ts'
import { limits } from './limits.ts'

/** What a stream carries: begins to send, and returns the way to stop. */
export type Subscription = (stream: EventStream) => () => void

/** All streams of events that are open. They belong to a scope: when it closes, they end. */
export class EventStreams {
  readonly #scope: Scope<string>
  readonly #most: number
  readonly #streams = new Set<EventStream>()
  #heart: Timer | undefined

  constructor(scope: Scope<string>, most: number = limits.streams) {
    if (!Number.isSafeInteger(most) || most < 1)
      throw new OptionError(`maxStreams must be a whole number, 1 or more; it is ${most}`)
    this.#scope = scope
    this.#most = most
  }

  get size(): number {
    return this.#streams.size
  }

  /** A stream, or nothing if there are too many, or the scope is closing. */
  open(name: string, subscribe: Subscription): EventStream | undefined {
    if (this.#streams.size >= this.#most || this.#scope.state !== 'live') return undefined
    let stop: (() => void) | undefined
    let ended = false
    const stream = new EventStream(() => {
      ended = true
      this.#left(stream)
      stop?.()
    })
    this.#scope.own(`stream of ${name}`, stream)
    this.#streams.add(stream)
    this.#heart ??= this.#scope.every(limits.heartbeat, 'heartbeat of streams', () => this.#beat())
    stop = subscribe(stream)
    // It may have ended by what it had to tell.
    if (ended) stop()
    return stream
  }

  #left(stream: EventStream): void {
    this.#streams.delete(stream)
    if (this.#scope.state === 'live') this.#scope.forget(stream)
    if (this.#streams.size > 0) return
    this.#heart?.clear()
    this.#heart = undefined
  }

  #beat(): void {
    for (const stream of this.#streams) stream.beat()
  }
}
