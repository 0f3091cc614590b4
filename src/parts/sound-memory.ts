import { durationOf, type AudioFrame } from '../audio/index.ts'

/** Buffers the most recent audio, up to `longest` milliseconds. */
export class SoundMemory {
  readonly #longest: number
  #frames: AudioFrame[] = []
  #length = 0

  constructor(longest: number) {
    this.#longest = longest
  }

  get frames(): readonly AudioFrame[] {
    return this.#frames
  }

  /** In milliseconds. */
  get length(): number {
    return this.#length
  }

  push(frame: AudioFrame): void {
    this.#frames.push(frame)
    this.#length += durationOf(frame)
    this.keep(this.#longest)
  }

  /** Discards all but the last `ms` milliseconds, rounded up to whole frames. */
  keep(ms: number): void {
    let first = 0
    for (let frame = this.#frames[0]; frame; frame = this.#frames[++first]) {
      const rest = this.#length - durationOf(frame)
      if (rest < ms) break
      this.#length = rest
    }
    if (first > 0) this.#frames.splice(0, first)
  }

  /** Returns all frames and empties the buffer. */
  take(): readonly AudioFrame[] {
    const frames = this.#frames
    this.#frames = []
    this.#length = 0
    return frames
  }
}
