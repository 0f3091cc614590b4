import { bytesOf, silence, type AudioFormat, type AudioFrame } from '../audio/index.ts'

/** Gathers audio into messages of equal duration, for vendors that want fewer messages than frames. */
export class AudioChunker {
  readonly #format: AudioFormat
  readonly #silence: Uint8Array
  readonly #pending: Uint8Array
  #length = 0

  constructor(format: AudioFormat, duration: number) {
    this.#format = format
    this.#silence = bytesOf(silence(duration, format.sampleRate), format)
    this.#pending = new Uint8Array(this.#silence.length)
  }

  /** A message of silence. */
  get silence(): Uint8Array {
    return this.#silence
  }

  /** Returns the messages that this frame completes. */
  push(frame: AudioFrame): Uint8Array[] {
    const bytes = bytesOf(frame, this.#format)
    const complete: Uint8Array[] = []
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + this.#pending.length - this.#length)
      this.#pending.set(part, this.#length)
      this.#length += part.length
      at += part.length
      if (this.#length === this.#pending.length) complete.push(this.#take())
    }
    return complete
  }

  /** Returns the rest, followed by silence; undefined if there is none. */
  flush(): Uint8Array | undefined {
    return this.#length === 0 ? undefined : this.#take()
  }

  #take(): Uint8Array {
    const chunk = this.#silence.slice()
    chunk.set(this.#pending.subarray(0, this.#length))
    this.#length = 0
    return chunk
  }
}
