import { limits } from './limits.ts'

/** A frame of sound, and its place in the stream if the carrier says so. */
export interface Sound {
  readonly bytes: Uint8Array
  readonly number: number | undefined
}

/**
 * Puts the sound of a stream in order, for a carrier that does not promise it. A frame that is missing is waited for until
 * `outOfOrder` later ones have arrived. A frame that comes after its turn is dropped.
 */
export class MediaOrder {
  /** The number of the frame that is due. Unset until the first frame. */
  #due: number | undefined
  /** Frames that came too early, by number. */
  readonly #early = new Map<number, Uint8Array>()

  /** Takes the frame that arrived. Returns the frames that are due by now, in order. */
  next({ bytes, number }: Sound): Uint8Array[] {
    if (number === undefined) return [bytes]
    this.#due ??= number
    // Far behind: the carrier counts from the start again.
    if (number < this.#due - 10 * limits.outOfOrder) return [...this.#restart(number), bytes]
    if (number < this.#due) return []
    this.#early.set(number, bytes)
    const due = this.#inOrder()
    if (this.#early.size < limits.outOfOrder) return due
    this.#due = Math.min(...this.#early.keys())
    return [...due, ...this.#inOrder()]
  }

  #inOrder(): Uint8Array[] {
    const frames: Uint8Array[] = []
    for (;;) {
      const frame = this.#early.get(this.#due!)
      if (!frame) return frames
      this.#early.delete(this.#due!)
      this.#due!++
      frames.push(frame)
    }
  }

  /** Continues after `number`. Returns what was waiting, in order. */
  #restart(number: number): Uint8Array[] {
    const waiting = [...this.#early].toSorted(([one], [other]) => one - other).map(([, bytes]) => bytes)
    this.#early.clear()
    this.#due = number + 1
    return waiting
  }
}
