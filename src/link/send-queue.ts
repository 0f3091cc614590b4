import type { Data } from './protocol.ts'

interface QueuedMessage {
  readonly data: Data
  readonly audio: boolean
}

/** Messages that wait for a connection, in order, with separate limits for audio and control messages (LK10). */
export class SendQueue {
  readonly #maxAudio: number
  readonly #maxControl: number
  #queue: QueuedMessage[] = []
  #audio = 0
  #dropped = 0

  constructor(maxAudio: number, maxControl: number) {
    this.#maxAudio = maxAudio
    this.#maxControl = maxControl
  }

  get size(): number {
    return this.#queue.length
  }

  /** Audio messages that were never sent. */
  get dropped(): number {
    return this.#dropped
  }

  /** Drops the oldest audio if there is too much. */
  pushAudio(data: Data): void {
    this.#queue.push({ data, audio: true })
    if (++this.#audio <= this.#maxAudio) return
    this.#queue.splice(
      this.#queue.findIndex(({ audio }) => audio),
      1,
    )
    this.#audio--
    this.#dropped++
  }

  /** Returns false if the queue is full. Drops nothing to make room. */
  pushControl(data: Data): boolean {
    if (this.#queue.length - this.#audio >= this.#maxControl) return false
    this.#queue.push({ data, audio: false })
    return true
  }

  /** Passes messages to `send`, oldest first, until it returns false. */
  flush(send: (data: Data) => boolean): void {
    const unsent = this.#queue.findIndex(({ data }) => !send(data))
    const sent = this.#queue.splice(0, unsent < 0 ? this.#queue.length : unsent)
    for (const { audio } of sent) if (audio) this.#audio--
  }

  /** Discards everything and counts the audio as dropped. */
  clear(): void {
    this.#dropped += this.#audio
    this.#queue = []
    this.#audio = 0
  }
}
