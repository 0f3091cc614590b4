import type { Answer, Wish } from './answer.ts'

/** A response that the session asked for. */
export interface ResponseRequest {
  readonly id: string
  readonly wish: Wish
  /** The answer whose start was already emitted, if the connection broke before its first output. */
  readonly answer?: Answer
  /** How often the service refused it because another response was active. */
  refusals: number
}

/** Further requests fail: that many cannot be intended. */
const MAX_WAITING = 32
/** How often a request is sent again after another response was active. */
const MAX_REFUSALS = 8

/** Requested responses, in order. One request is sent at a time, and only while no response is active. */
export class RequestQueue {
  readonly #waiting: ResponseRequest[] = []
  /** Sent, and neither started nor refused. */
  #sent: ResponseRequest | undefined
  /** Requests beyond `MAX_WAITING`. They fail in their turn, after the waiting ones. */
  #overflow = 0
  #ids = 0

  get sent(): ResponseRequest | undefined {
    return this.#sent
  }

  get empty(): boolean {
    return this.#waiting.length === 0 && !this.#sent
  }

  add(wish: Wish): void {
    if (this.#overflow > 0 || this.#waiting.length >= MAX_WAITING) this.#overflow++
    else this.#waiting.push({ id: this.#nextId(), wish, refusals: 0 })
  }

  /** Puts an answer that was lost before its first output back to the front of the queue. */
  retry(answer: Answer): void {
    this.#waiting.unshift({ id: this.#nextId(), wish: answer.wish, answer, refusals: 0 })
  }

  /** Returns the next request and marks it as sent. Skips requests whose answer has ended meanwhile. */
  next(): ResponseRequest | undefined {
    do this.#sent = this.#waiting.shift()
    while (this.#sent?.answer?.ended)
    return this.#sent
  }

  /** Returns the id of the next request that fails because the queue was full, if there is one. */
  nextOverflow(): string | undefined {
    if (this.#overflow === 0) return undefined
    this.#overflow--
    return this.#nextId()
  }

  /** Removes the sent request, which was answered or refused. */
  takeSent(): ResponseRequest | undefined {
    const request = this.#sent
    this.#sent = undefined
    return request
  }

  /** Queues the sent request again because another response was active. Returns false if that happened too often. */
  postpone(): boolean {
    const request = this.#sent
    if (!request || ++request.refusals > MAX_REFUSALS) return false
    this.lost()
    return true
  }

  /** The connection was lost: the sent request is sent again. */
  lost(): void {
    const request = this.takeSent()
    if (request) this.#waiting.unshift(request)
  }

  #nextId(): string {
    return `request-${++this.#ids}`
  }
}
