import type { Content } from './messages.ts'

/** A response that the session asked for. */
export interface ResponseRequest {
  /** Instructions for this response alone. */
  readonly turns: readonly Content[]
  /** The service answers without being asked, because the user's turn was committed. */
  automatic: boolean
  /** The service interrupted the response before its first output. */
  interrupted: boolean
}

/** Requests and content that have not been sent to the service yet. */
export class RequestQueue {
  /** Requests whose response has not started, in order. */
  readonly #requests: ResponseRequest[] = []
  #sent = false
  /** Committed turns that the service will answer and that no request was matched with yet. */
  #automatic = 0
  #contents: Content[] = []

  /** The next request. */
  get first(): ResponseRequest | undefined {
    return this.#requests[0]
  }

  /** Whether the service is working on the first request. */
  get sent(): boolean {
    return this.#sent
  }

  get hasContents(): boolean {
    return this.#contents.length > 0
  }

  addRequest(turns: readonly Content[]): void {
    const automatic = turns.length === 0 && this.#automatic > 0
    if (automatic) this.#automatic--
    this.#requests.push({ turns, automatic, interrupted: false })
  }

  addContents(contents: readonly Content[]): void {
    this.#contents.push(...contents)
  }

  takeContents(): Content[] {
    return this.#contents.splice(0)
  }

  /** The user's turn was committed, so the service will answer it. */
  committed(): void {
    this.#automatic++
  }

  markSent(): void {
    this.#sent = true
  }

  /** A response starts. Returns its request, or undefined if the service started it unasked. */
  responseStarted(): ResponseRequest | undefined {
    if (!this.#sent) {
      this.#automatic = Math.max(0, this.#automatic - 1)
      return undefined
    }
    this.#sent = false
    return this.#requests.shift()
  }

  /** The connection was lost: every request has to be sent on the next one. */
  lost(): void {
    this.#sent = false
    this.#automatic = 0
    for (const request of this.#requests) request.automatic = request.interrupted = false
  }
}
