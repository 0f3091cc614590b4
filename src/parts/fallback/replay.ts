/** Buffers a stream, so that readers can read it from the beginning, one after another. */
export class Replay<T> {
  readonly #iterator: AsyncIterator<T>
  readonly #values: T[] = []
  #ended = false
  /** The read in progress. Shared, because a reader that has since been abandoned may have started it. */
  #pull: Promise<void> | undefined

  /** Whether the source itself has thrown. */
  failed = false

  constructor(source: AsyncIterable<T>) {
    this.#iterator = source[Symbol.asyncIterator]()
  }

  async *read(): AsyncGenerator<T, void, undefined> {
    for (let index = 0; ; index++) {
      while (index >= this.#values.length) {
        if (this.#ended) return
        await (this.#pull ??= this.#startPull())
      }
      yield this.#values[index]!
    }
  }

  /** Ends the source. To be called after the last reader. */
  close(): void {
    if (this.#ended) return
    this.#ended = true
    this.#iterator.return?.().catch(() => {})
  }

  #startPull(): Promise<void> {
    const pull = this.#next()
    // The reader may have been abandoned by the time this rejects.
    pull.catch(() => {
      this.failed = true
    })
    return pull
  }

  async #next(): Promise<void> {
    // If this throws, `#pull` stays set, so that every later reader gets the same error.
    const { done, value } = await this.#iterator.next()
    if (done) this.#ended = true
    else this.#values.push(value)
    this.#pull = undefined
  }
}
