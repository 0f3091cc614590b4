import type { Data } from './protocol.ts'

interface Waiting {
  readonly data: Data
  readonly audio: boolean
}

/** What waits for a connection, in order. Both sorts have their limit (LK10). */
export class SendQueue {
  readonly #mostAudio: number
  readonly #mostControl: number
  #waiting: Waiting[] = []
  #audio = 0
  #dropped = 0

  constructor(mostAudio: number, mostControl: number) {
    this.#mostAudio = mostAudio
    this.#mostControl = mostControl
  }

  get size(): number {
    return this.#waiting.length
  }

  /** Pieces of audio that had to make room. */
  get dropped(): number {
    return this.#dropped
  }

  /** The oldest audio makes room for this. */
  pushAudio(data: Data): void {
    this.#waiting.push({ data, audio: true })
    if (++this.#audio <= this.#mostAudio) return
    this.#waiting.splice(
      this.#waiting.findIndex(({ audio }) => audio),
      1,
    )
    this.#audio--
    this.#dropped++
  }

  /** Returns false if there is no room: nothing else is dropped for it. */
  pushControl(data: Data): boolean {
    if (this.#waiting.length - this.#audio >= this.#mostControl) return false
    this.#waiting.push({ data, audio: false })
    return true
  }

  /** Hands out what waits, oldest first, as long as it is taken. */
  flush(take: (data: Data) => boolean): void {
    const taken = this.#waiting.findIndex(({ data }) => !take(data))
    const gone = this.#waiting.splice(0, taken < 0 ? this.#waiting.length : taken)
    for (const { audio } of gone) if (audio) this.#audio--
  }

  /** Nothing of it will be sent any more: the audio counts as dropped. */
  clear(): void {
    this.#dropped += this.#audio
    this.#waiting = []
    this.#audio = 0
  }
}
