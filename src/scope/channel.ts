/** Passes values from one task to another, in order. It has one reader. */
export class Channel<T> implements AsyncIterable<T> {
  readonly #values: T[] = []
  #end: { readonly error?: unknown } | undefined
  #wake: (() => void) | undefined

  push(value: T): void {
    if (this.#end) return
    this.#values.push(value)
    this.#wake?.()
  }

  /** No more values. The reader still gets the values pushed so far. */
  end(): void {
    this.#end ??= {}
    this.#wake?.()
  }

  /** No more values. The reader gets the values pushed so far, then this error is thrown. */
  fail(error: unknown): void {
    this.#end ??= { error }
    this.#wake?.()
  }

  [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
    return {
      next: async () => {
        while (this.#values.length === 0) {
          if (this.#end && 'error' in this.#end) throw this.#end.error
          if (this.#end) return { done: true, value: undefined }
          await new Promise<void>((resolve) => {
            this.#wake = resolve
          })
        }
        return { done: false, value: this.#values.shift()! }
      },
      return: async () => {
        // The reader has left: later values must not pile up.
        this.#values.length = 0
        this.end()
        return { done: true, value: undefined }
      },
    }
  }
}
