/** How many blocks to keep that nothing uses, 4 MB: what calls give back and take again within a moment. */
const MOST = 512

/**
 * Memory for sound on its way to the callers of this process, in blocks that are used again. Otherwise sound would be a tenth
 * of the CPU time of a call: it waits for seconds, so that the garbage collector takes it for old and marks the whole heap to
 * find it.
 *
 * A block must not be given back while anything can still read it: the next sound in it may be another caller's. A block that
 * is never given back is garbage, like any other memory.
 */
class BlockPool {
  /** Bytes per block: a quarter of a second at 16 kHz. */
  readonly size = 8 * 1024
  readonly #blocks: ArrayBuffer[] = []

  /** Bytes that nothing uses. */
  get unused(): number {
    return this.#blocks.length * this.size
  }

  take(): ArrayBuffer {
    return this.#blocks.pop() ?? new ArrayBuffer(this.size)
  }

  giveBack(block: ArrayBuffer): void {
    if (this.#blocks.length < MOST) this.#blocks.push(block)
  }
}

export const blockPool = new BlockPool()
