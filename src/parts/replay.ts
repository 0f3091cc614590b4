/** A stream that can be read again from its beginning, by one reader after the other. */
export class Replay<T> {
  readonly #iterator: AsyncIterator<T>
  readonly #values: T[] = []
  #ended = false
  /** One pull at a time, whoever waits for it: a reader that was left may have begun it. */
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
        await (this.#pull ??= this.#begin())
      }
      yield this.#values[index]!
    }
  }

  /** Nobody reads any more. */
  close(): void {
    if (this.#ended) return
    this.#ended = true
    this.#iterator.return?.().catch(() => {})
  }

  #begin(): Promise<void> {
    const pull = this.#next()
    // The reader may be gone by the time it fails.
    pull.catch(() => {
      this.failed = true
    })
    return pull
  }

  async #next(): Promise<void> {
    // If it throws, it is kept: every later reader gets the same error.
    const { done, value } = await this.#iterator.next()
    if (done) this.#ended = true
    else this.#values.push(value)
    this.#pull = undefined
  }
}
