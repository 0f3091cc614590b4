import { systemClock, type Timer } from '../../src/scope/index.ts'
import { ApiError, ask } from './api.ts'

/** The host sends a comment at least this often; when nothing comes for longer, it is gone. */
const SILENCE = 40_000
/** A page that nobody looks at rests after so long: a browser has few connections for each host, and all pages share them. */
const PATIENCE = 10_000
/** Milliseconds until it is tried again, and more each time. */
const backoff = { first: 400, most: 5_000 }

export interface FeedEvents<Message> {
  message(message: Message): void
  /** It is there. */
  online(): void
  /** It is gone, and will be tried again, unless the error says that this would not help. */
  offline(error: ApiError): void
}

/**
 * Follows a stream of server-sent events, and comes back to it when it was cut. Read by `fetch`: so it is known why a
 * stream is refused, which an `EventSource` does not tell.
 */
export class Feed<Message> {
  readonly #path: string
  readonly #events: FeedEvents<Message>
  #reading: AbortController | undefined
  #timer: Timer | undefined
  #failures = 0
  #stopped = false
  /** Nobody looks at the page. */
  #rests = false
  #resting: Timer | undefined

  constructor(path: string, events: FeedEvents<Message>) {
    this.#path = path
    this.#events = events
    document.addEventListener('visibilitychange', this.#looked)
    this.#read().catch(() => {})
  }

  stop(): void {
    this.#stopped = true
    document.removeEventListener('visibilitychange', this.#looked)
    this.#resting?.clear()
    this.#timer?.clear()
    this.#reading?.abort()
  }

  /** Not in a while, but now. */
  retry(): void {
    if (this.#stopped || this.#rests || this.#reading) return
    this.#timer?.clear()
    this.#read().catch(() => {})
  }

  readonly #looked = (): void => {
    this.#resting?.clear()
    if (document.visibilityState === 'hidden')
      this.#resting = systemClock.after(PATIENCE, 'rest of a hidden page', () => this.#rest())
    else if (this.#rests) {
      this.#rests = false
      this.retry()
    }
  }

  #rest(): void {
    this.#rests = true
    this.#timer?.clear()
    this.#reading?.abort()
  }

  async #read(): Promise<void> {
    const reading = new AbortController()
    this.#reading = reading
    let gone = new ApiError(0, 'NO_ANSWER', 'the server does not answer')
    try {
      const response = await ask(this.#path, { signal: reading.signal })
      this.#failures = 0
      this.#events.online()
      await this.#follow(response.body!, reading)
    } catch (error) {
      if (error instanceof ApiError) gone = error
    }
    this.#timer?.clear()
    this.#reading = undefined
    if (this.#stopped || this.#rests) return
    this.#events.offline(gone)
    // A refusal stays one; a server that is busy or away may come back.
    if (gone.status >= 400 && gone.status < 500) return
    const wait = Math.min(backoff.most, backoff.first * 2 ** this.#failures++)
    this.#timer = systemClock.after(wait, 'the next try', () => this.retry())
  }

  async #follow(body: ReadableStream<Uint8Array>, reading: AbortController): Promise<void> {
    const reader = body.getReader()
    const decoder = new TextDecoder()
    let text = ''
    for (;;) {
      this.#timer?.clear()
      this.#timer = systemClock.after(SILENCE, 'silence of the server', () => reading.abort())
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        if (this.#stopped) return
        if (block.startsWith('data: ')) this.#events.message(JSON.parse(block.slice(6)) as Message)
      }
    }
  }
}
