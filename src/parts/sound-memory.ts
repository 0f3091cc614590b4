import { durationOf, type AudioFrame } from '../audio/index.ts'

/** The last moments of a sound. */
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

  /** Milliseconds. */
  get length(): number {
    return this.#length
  }

  add(frame: AudioFrame): void {
    this.#frames.push(frame)
    this.#length += durationOf(frame)
    this.keep(this.#longest)
  }

  /** Forgets all but the last `ms`, and what completes their first frame. */
  keep(ms: number): void {
    let first = 0
    for (let frame = this.#frames[0]; frame; frame = this.#frames[++first]) {
      const rest = this.#length - durationOf(frame)
      if (rest < ms) break
      this.#length = rest
    }
    if (first > 0) this.#frames.splice(0, first)
  }

  /** Gives what there is, and forgets it. */
  take(): readonly AudioFrame[] {
    const frames = this.#frames
    this.#frames = []
    this.#length = 0
    return frames
  }
}
