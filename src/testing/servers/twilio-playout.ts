/** A carrier's playout buffer: mu-law audio that the caller has not heard yet, and the marks in it. */
export class TwilioPlayout {
  /** Bytes that the caller has heard. */
  heard = 0
  /** Bytes that were discarded by `clear`. */
  cleared = 0
  #queue: Uint8Array[] = []
  #queued = 0
  /** `position` is the number of bytes received before the mark. */
  #marks: { readonly name: string; readonly position: number }[] = []
  /** Bytes received in total. */
  #received = 0
  /** Bytes heard or discarded. */
  #done = 0

  /** Bytes in the buffer. */
  get waiting(): number {
    return this.#queued
  }

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#queue.push(bytes)
    this.#queued += bytes.length
    this.#received += bytes.length
  }

  /** Adds a mark. Returns the marks to send back now: this one, if the buffer is empty. */
  mark(name: string): string[] {
    this.#marks.push({ name, position: this.#received })
    return this.#reached()
  }

  /** Empties the buffer. Returns its marks, which are sent back at once. */
  clear(): string[] {
    this.#done += this.#queued
    this.cleared += this.#queued
    this.#queue = []
    this.#queued = 0
    return this.#reached()
  }

  /** Plays up to `max` bytes. Returns them with the marks to send back. */
  play(max: number): { readonly sound: Uint8Array; readonly marks: string[] } {
    const sound = new Uint8Array(Math.min(max, this.#queued))
    for (let at = 0; at < sound.length;) {
      const first = this.#queue[0]!
      const part = first.subarray(0, sound.length - at)
      sound.set(part, at)
      at += part.length
      if (part.length === first.length) this.#queue.shift()
      else this.#queue[0] = first.subarray(part.length)
    }
    this.#queued -= sound.length
    this.#done += sound.length
    this.heard += sound.length
    return { sound, marks: this.#reached() }
  }

  #reached(): string[] {
    const reached = this.#marks.filter(({ position }) => position <= this.#done)
    this.#marks = this.#marks.slice(reached.length)
    return reached.map(({ name }) => name)
  }
}
