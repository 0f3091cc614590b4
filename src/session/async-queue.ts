/** A stream that is written at one end and read, once, at the other. Writing never waits. */
export class AsyncQueue<T> implements AsyncIterable<T> {
  readonly #items: T[] = []
  #end: { readonly error?: unknown } | undefined
  #wake: (() => void) | undefined

  push(item: T): void {
    if (this.#end) return
    this.#items.push(item)
    this.#wake?.()
  }

  end(): void {
    this.#end ??= {}
    this.#wake?.()
  }

  /** The reader gets what was written, then the error. */
  fail(error: unknown): void {
    this.#end ??= { error }
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (;;) {
      // Taken one by one: more may come while the reader is busy with one.
      while (this.#items.length > 0) yield this.#items.shift()!
      if (this.#end) {
        if ('error' in this.#end) throw this.#end.error
        return
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
  }
}
