/** What a carrier has been given and the caller has not heard yet: bytes of mu-law, and marks between them. */
export class TwilioPlayout {
  /** Bytes that reached the caller's ear. */
  heard = 0
  /** Bytes that were thrown away by `clear`. */
  cleared = 0
  #queue: Uint8Array[] = []
  #queued = 0
  #marks: { readonly name: string; readonly behind: number }[] = []
  /** Bytes that came, whatever became of them. */
  #came = 0
  /** Bytes that were heard or thrown away. */
  #gone = 0

  /** Bytes that wait. */
  get waiting(): number {
    return this.#queued
  }

  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#queue.push(bytes)
    this.#queued += bytes.length
    this.#came += bytes.length
  }

  /** The marks that come back at once: this one, if nothing is before it. */
  mark(name: string): string[] {
    this.#marks.push({ name, behind: this.#came })
    return this.#reached()
  }

  /** Throws the sound away. The marks in it come back at once. */
  clear(): string[] {
    this.#gone += this.#queued
    this.cleared += this.#queued
    this.#queue = []
    this.#queued = 0
    return this.#reached()
  }

  /** The next bytes in the caller's ear, at most so many, and the marks that come back with them. */
  play(most: number): { readonly sound: Uint8Array; readonly marks: string[] } {
    const sound = new Uint8Array(Math.min(most, this.#queued))
    for (let at = 0; at < sound.length;) {
      const first = this.#queue[0]!
      const part = first.subarray(0, sound.length - at)
      sound.set(part, at)
      at += part.length
      if (part.length === first.length) this.#queue.shift()
      else this.#queue[0] = first.subarray(part.length)
    }
    this.#queued -= sound.length
    this.#gone += sound.length
    this.heard += sound.length
    return { sound, marks: this.#reached() }
  }

  #reached(): string[] {
    const reached = this.#marks.filter(({ behind }) => behind <= this.#gone)
    this.#marks = this.#marks.slice(reached.length)
    return reached.map(({ name }) => name)
  }
}
