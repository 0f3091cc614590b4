import type { Resource } from '../scope/index.ts'
import { limits } from './limits.ts'

const encoder = new TextEncoder()

/** One stream of server-sent events to one reader. Sending never waits: a reader who is too slow is cut off. */
export class EventStream implements Resource {
  readonly body: ReadableStream<Uint8Array>
  readonly #ended: () => void
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined

  /** `ended` is called once, whoever ends it. */
  constructor(ended: () => void) {
    this.#ended = ended
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        cancel: () => this.#over(),
      },
      { highWaterMark: limits.unread, size: (chunk) => chunk?.byteLength ?? 0 },
    )
  }

  /** Sends one message, as JSON. */
  send(message: object): void {
    this.#write(`data: ${JSON.stringify(message)}\n\n`)
  }

  /** Something that no reader sees, so that both sides notice when the other is gone. */
  beat(): void {
    this.#write(':\n\n')
  }

  /** Nothing more will be sent: what waits is still read. */
  end(): void {
    try {
      this.#controller?.close()
    } finally {
      this.#over()
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

  #over(): void {
    if (!this.#controller) return
    this.#controller = undefined
    this.#ended()
  }
}
