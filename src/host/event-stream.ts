import type { Resource } from '../scope/index.ts'
import { limits } from './limits.ts'

const encoder = new TextEncoder()

/** A stream of server-sent events to one client. Sending never waits: a client that is too slow is cut off. */
export class EventStream implements Resource {
  readonly body: ReadableStream<Uint8Array>
  readonly #ended: () => void
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined

  /** `ended` is called once, whichever side ends the stream. */
  constructor(ended: () => void) {
    this.#ended = ended
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        cancel: () => this.#release(),
      },
      { highWaterMark: limits.unread, size: (chunk) => chunk?.byteLength ?? 0 },
    )
  }

  /** Sends one message as JSON. */
  send(message: object): void {
    this.#write(`data: ${JSON.stringify(message)}\n\n`)
  }

  /** Sends a comment, which clients ignore, so that both sides notice a broken connection. */
  beat(): void {
    this.#write(':\n\n')
  }

  /** Ends the stream. Buffered messages are still delivered. */
  end(): void {
    try {
      this.#controller?.close()
    } finally {
      this.#release()
    }
  }

  closing(): void {
    this.end()
  }

  close(): void {
    this.end()
  }

  abort(): void {
    this.end()
  }

  #write(text: string): void {
    const controller = this.#controller
    if (!controller) return
    if ((controller.desiredSize ?? 0) <= 0) return this.end()
    controller.enqueue(encoder.encode(text))
  }

  #release(): void {
    if (!this.#controller) return
    this.#controller = undefined
    this.#ended()
  }
}
