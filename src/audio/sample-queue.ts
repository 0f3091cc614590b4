import { blockPool } from './block-pool.ts'

/** `Int16Array` for PCM, `Uint8Array` for G.711. */
export interface SampleType<Samples> {
  readonly BYTES_PER_ELEMENT: number
  new (length: number): Samples
  new (memory: ArrayBuffer): Samples
}

/**
 * Samples in a row, added at the end and dropped at the beginning. Positions count from the first sample that was ever added.
 *
 *   ├ dropped ┼──── block ────┼──── block ────┼──── block ──┈┈┈┤
 *             first · size                              end
 *
 * It copies what is added.
 */
export class SampleQueue<Samples extends Int16Array | Uint8Array> {
  readonly #type: SampleType<Samples>
  /** Samples per block. */
  readonly #size: number
  #blocks: Samples[] = []
  /** The number of the first block: block `n` has the samples from position `n · size` on. */
  #first = 0
  #end = 0

  constructor(type: SampleType<Samples>) {
    this.#type = type
    this.#size = blockPool.size / type.BYTES_PER_ELEMENT
  }

  /** The position behind the last sample. */
  get end(): number {
    return this.#end
  }

  add(samples: Samples): void {
    for (let done = 0; done < samples.length;) {
      const { block, at } = this.#lastBlock()
      const count = Math.min(samples.length - done, this.#size - at)
      block.set(count === samples.length ? samples : samples.subarray(done, done + count), at)
      this.#end += count
      done += count
    }
  }

  /** The samples between two positions that were not dropped. Valid until the next change, because memory is used again. */
  read(from: number, to: number): Samples {
    const number = Math.floor(from / this.#size)
    const begin = number * this.#size
    const block = this.#blocks[number - this.#first]!
    const start = block.subarray(from - begin, to - begin) as Samples
    if (start.length === to - from) return start
    const samples = new this.#type(to - from)
    samples.set(start)
    samples.set(this.read(begin + this.#size, to), start.length)
    return samples
  }

  /** Drops everything before a position. */
  dropBefore(position: number): void {
    // Nothing is left to read in the last block if all of it is dropped.
    const first =
      position >= this.#end ? this.#first + this.#blocks.length : Math.floor(position / this.#size)
    const count = first - this.#first
    if (count <= 0) return
    for (const { buffer } of this.#blocks.splice(0, count)) blockPool.giveBack(buffer as ArrayBuffer)
    this.#first = first
  }

  /** The block for the next sample, and where in it. */
  #lastBlock(): { readonly block: Samples; readonly at: number } {
    const number = Math.floor(this.#end / this.#size)
    if (this.#blocks.length === 0) this.#first = number
    if (number === this.#first + this.#blocks.length) this.#blocks.push(new this.#type(blockPool.take()))
    return { block: this.#blocks.at(-1)!, at: this.#end % this.#size }
  }
}
