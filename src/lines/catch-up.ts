import { durationOf, type AudioFrame } from '../audio/index.ts'

/** How much earlier than in real time a frame may come, in milliseconds: timers jitter. */
const JITTER = 40

/**
 * Passes sound on that comes in real time, and limits what comes before its time. A client sends at once what it has recorded
 * before it was ready. Only the end of that is worth hearing, because the caller may have begun to speak. What the network has held
 * up is late, and not early, so nothing of it is lost.
 */
export class CatchUp {
  readonly #most: number
  /** Sound that came before its time, the latest last, and its length. */
  #early: AudioFrame[] = []
  #length = 0
  /** When the next frame is due. */
  #dueAt: number | undefined

  /** `most` is how much early sound is kept, in milliseconds. */
  constructor(most: number) {
    this.#most = most
  }

  /** Takes a frame that has just arrived. Returns the frames to hear now. */
  push(frame: AudioFrame, now: number): readonly AudioFrame[] {
    const length = durationOf(frame)
    const dueAt = (this.#dueAt ??= now)
    if (now < dueAt - JITTER) {
      this.#early.push(frame)
      this.#length += length
      while (this.#length > this.#most) this.#length -= durationOf(this.#early.shift()!)
      return []
    }
    if (this.#early.length === 0) {
      this.#dueAt = dueAt + length
      return [frame]
    }
    const heard = [...this.#early, frame]
    this.#early = []
    this.#length = 0
    this.#dueAt = now + length
    return heard
  }
}
