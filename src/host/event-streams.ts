import { OptionError, type Scope, type Timer } from '../scope/index.ts'
import { EventStream } from './event-stream.ts'
import { limits } from './limits.ts'

/** Starts to send events on a stream. Returns an unsubscribe function. */
export type Subscription = (stream: EventStream) => () => void

/** All open event streams. They belong to a scope and end when it closes. */
export class EventStreams {
  readonly #scope: Scope<string>
  readonly #maxStreams: number
  readonly #streams = new Set<EventStream>()
  #heartbeat: Timer | undefined

  constructor(scope: Scope<string>, maxStreams: number = limits.streams) {
    if (!Number.isSafeInteger(maxStreams) || maxStreams < 1)
      throw new OptionError(`maxStreams must be a whole number, 1 or more; it is ${maxStreams}`)
    this.#scope = scope
    this.#maxStreams = maxStreams
  }

  get size(): number {
    return this.#streams.size
  }

  /** Opens a stream. Returns undefined if there are too many, or if the scope is closing. */
  open(name: string, subscribe: Subscription): EventStream | undefined {
    if (this.#streams.size >= this.#maxStreams || this.#scope.state !== 'live') return undefined
    let stop: (() => void) | undefined
    let ended = false
    const stream = new EventStream(() => {
      ended = true
      this.#remove(stream)
      stop?.()
    })
    this.#scope.own(`stream of ${name}`, stream)
    this.#streams.add(stream)
    this.#heartbeat ??= this.#scope.every(limits.heartbeat, 'heartbeat of streams', () => this.#beat())
    stop = subscribe(stream)
    // The first messages may have ended the stream.
    if (ended) stop()
    return stream
  }

  #remove(stream: EventStream): void {
    this.#streams.delete(stream)
    if (this.#scope.state === 'live') this.#scope.forget(stream)
    if (this.#streams.size > 0) return
    this.#heartbeat?.clear()
    this.#heartbeat = undefined
  }

  #beat(): void {
    for (const stream of this.#streams) stream.beat()
  }
}
