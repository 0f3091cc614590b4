import { systemClock, type Timer } from '../../../src/scope/index.ts'
import { ApiError, noResponse, request } from './api.ts'

/** The host sends a comment more often than this. A longer silence means that the connection is dead. */
const SILENCE = 40_000
/** A hidden page disconnects after this long: a browser allows few connections per host, shared by all its tabs. */
const HIDDEN = 10_000
/** The delay before the first retry, which doubles up to the longest. */
const backoff = { first: 400, longest: 5_000 }

export interface FeedEvents<Message> {
  message(message: Message): void
  online(): void
  /** The stream ended. The feed retries, except after a 4xx status. */
  offline(error: ApiError): void
}

/**
 * Reads a stream of server-sent events and reconnects when it breaks. It uses `fetch` because an `EventSource` does
 * not tell why the host refused a stream.
 */
export class Feed<Message> {
  readonly #path: string
  readonly #events: FeedEvents<Message>
  #reading: AbortController | undefined
  /** The retry, or while connected the silence. */
  #timer: Timer | undefined
  #failures = 0
  #stopped = false
  #moving = false
  /** Disconnected because the page is hidden. */
  #paused = false
  #pausing: Timer | undefined

  constructor(path: string, events: FeedEvents<Message>) {
    this.#path = path
    this.#events = events
    document.addEventListener('visibilitychange', this.#visibilityChanged)
    this.#read().catch(() => {})
  }

  stop(): void {
    this.#stopped = true
    document.removeEventListener('visibilitychange', this.#visibilityChanged)
    this.#pausing?.clear()
    this.#timer?.clear()
    this.#reading?.abort()
  }

  /** Retries now instead of waiting for the backoff. */
  retry(): void {
    if (this.#stopped || this.#paused || this.#reading) return
    this.#timer?.clear()
    this.#read().catch(() => {})
  }

  /** Connects again, to whichever process answers now. */
  reconnect(): void {
    this.#moving = true
    this.#reading?.abort()
  }

  readonly #visibilityChanged = (): void => {
    this.#pausing?.clear()
    if (document.visibilityState === 'hidden')
      this.#pausing = systemClock.after(HIDDEN, 'pause of a hidden page', () => this.#pause())
    else if (this.#paused) {
      this.#paused = false
      this.retry()
    }
  }

  #pause(): void {
    this.#paused = true
    this.#timer?.clear()
    this.#reading?.abort()
  }

  async #read(): Promise<void> {
    const reading = new AbortController()
    this.#reading = reading
    let failure = noResponse()
    try {
      const response = await request(this.#path, { signal: reading.signal })
      this.#failures = 0
      this.#events.online()
      await this.#follow(response.body!, reading)
    } catch (error) {
      if (error instanceof ApiError) failure = error
    }
    this.#timer?.clear()
    this.#reading = undefined
    if (this.#stopped || this.#paused) return
    if (this.#moving) {
      this.#moving = false
      return await this.#read()
    }
    this.#events.offline(failure)
    // A retry does not help against a refusal.
    if (failure.status >= 400 && failure.status < 500) return
    const wait = Math.min(backoff.longest, backoff.first * 2 ** this.#failures++)
    this.#timer = systemClock.after(wait, 'retry', () => this.retry())
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
