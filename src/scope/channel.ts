/** What one task makes and another takes, in order. One taker. */
export class Channel<T> implements AsyncIterable<T> {
  readonly #values: T[] = []
  #end: { readonly error?: unknown } | undefined
  #wake: (() => void) | undefined

  push(value: T): void {
    if (this.#end) return
    this.#values.push(value)
    this.#wake?.()
  }

  /** Nothing more comes. What was pushed is still taken. */
  end(): void {
    this.#end ??= {}
    this.#wake?.()
  }

  /** Nothing more comes, because of this: it is thrown once everything before it was taken. */
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
        // Nobody takes any more: what is still pushed must not pile up.
        this.#values.length = 0
        this.end()
        return { done: true, value: undefined }
      },
    }
  }
}
