import { limits } from './limits.ts'
import type { InboundLimits } from './protocol.ts'

/**
 * What a peer may send over one connection (LK14): a rate with a burst while the connection is in use, and a little more
 * once it is left or closing, when hardly any message matters. Has no clock: times are passed in.
 */
export class InboundBudget {
  readonly #messagesPerSecond: number
  readonly #bytesPerSecond: number
  #messages: number
  #bytes: number
  #lateMessages: number = limits.lateMessages
  #lateBytes: number = limits.lateBytes
  #at: number

  constructor({ messages = 5_000, bytes = 16 * 1024 * 1024 }: InboundLimits, now: number) {
    this.#messagesPerSecond = messages
    this.#bytesPerSecond = bytes
    this.#messages = messages * limits.inboundBurst
    this.#bytes = bytes * limits.inboundBurst
    this.#at = now
  }

  /** Takes one message. Returns false if the peer has sent too much. */
  take(bytes: number, now: number): boolean {
    const elapsed = Math.max(0, now - this.#at)
    this.#at = now
    this.#messages = refill(this.#messages, this.#messagesPerSecond, elapsed) - 1
    this.#bytes = refill(this.#bytes, this.#bytesPerSecond, elapsed) - bytes
    return this.#messages >= 0 && this.#bytes >= 0
  }

  /** Takes one message of a connection that is left or closing. */
  takeLate(bytes: number): boolean {
    this.#lateMessages--
    this.#lateBytes -= bytes
    return this.#lateMessages >= 0 && this.#lateBytes >= 0
  }
}

function refill(left: number, perSecond: number, elapsed: number): number {
  return Math.min(perSecond * limits.inboundBurst, left + (perSecond * elapsed) / 1_000)
}
