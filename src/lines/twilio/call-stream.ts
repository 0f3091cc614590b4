import { noop, type Scope, type SocketEnd } from '../../scope/index.ts'
import type { Accept } from '../accepted-socket.ts'
import { FarEnd } from '../far-end.ts'
import { RateLimit } from '../rate-limit.ts'
import type { Carrier, StreamMessage, StreamWords } from './carrier.ts'
import { limits } from './limits.ts'
import type { StartMessage } from './read-message.ts'

/** Codes of a close frame: the call is over; another stream of it has come; the stream is cut for what it says. */
export const closeCodes = { over: 1000, replaced: 4409, misbehaved: 1008 } as const

/** Who listens to the stream of a call. */
export interface StreamEvents {
  joined(): void
  message(message: Exclude<StreamMessage, { type: 'start' | 'other' }>): void
  misbehaved(what: string): void
  /** It is cut off. */
  left(end: SocketEnd): void
}

/** The stream of one call: that which came last. It says and understands what its carrier does. */
export class CallStream {
  readonly #carrier: Carrier
  readonly #scope: Scope<string>
  readonly #end: FarEnd
  #words: StreamWords | undefined
  #limit: RateLimit | undefined
  #nonsense = 0
  #events: StreamEvents = { joined: noop, message: noop, misbehaved: noop, left: noop }

  /** The scope is that of all calls: it outlives them. */
  constructor(carrier: Carrier, scope: Scope<string>) {
    this.#carrier = carrier
    this.#scope = scope
    const replaced = { code: closeCodes.replaced, reason: 'CALL_REPLACED' }
    this.#end = new FarEnd(scope, { replaced, closePatience: limits.closePatience })
    this.#end.listen({
      joined: noop,
      message: (data) => this.#message(data),
      left: (end) => this.#events.left(end),
    })
  }

  get here(): boolean {
    return this.#end.here
  }

  /** Bytes that the socket holds back. */
  get buffered(): number {
    return this.#end.buffered
  }

  /** From now on somebody listens. What was said before was said to nobody. */
  listen(events: StreamEvents): void {
    this.#events = events
  }

  join({ stream, understood }: StartMessage, accept: Accept): void {
    this.#words = this.#carrier.words(stream)
    this.#limit = new RateLimit(limits.messages, this.#scope.clock.now())
    this.#nonsense = 0
    this.#end.join(accept)
    this.#events.joined()
    if (!understood) this.#events.misbehaved('its sound is not mu-law at 8 kHz')
  }

  sound(bytes: Uint8Array): void {
    if (this.#words) this.#end.send(this.#words.sound(bytes))
  }

  mark(name: string): void {
    if (this.#words) this.#end.send(this.#words.mark(name))
  }

  clear(): void {
    if (this.#words) this.#end.send(this.#words.clear())
  }

  /** Ends it by the close frame. Resolves when the other side has answered. */
  close(code: number, reason: string): Promise<void> {
    return this.#end.close(code, reason)
  }

  /** Resolves when no socket is left. */
  ended(): Promise<void> {
    return this.#end.ended()
  }

  abort(): void {
    this.#end.abort()
  }

  #message(data: string | Uint8Array): void {
    if (!this.#limit?.take(this.#scope.clock.now()))
      return this.#events.misbehaved('it sends too many messages')
    const message = typeof data === 'string' ? this.#carrier.read(data) : undefined
    if (!message) return this.#makesNoSense()
    // It has started already, and says so once.
    if (message.type === 'other' || message.type === 'start') return undefined
    return this.#events.message(message)
  }

  #makesNoSense(): void {
    this.#nonsense++
    if (this.#nonsense > limits.nonsense) this.#events.misbehaved('it says what makes no sense')
  }
}
