/** Counts the deferred work that outlived its scope. */
export class Background {
  #count = 0
  #resolve: (() => void) | undefined
  #promise: Promise<void> | undefined

  enter(): void {
    this.#count++
  }

  leave(): void {
    if (--this.#count === 0) this.#resolve?.()
  }

  /** Resolves when all of the work has ended or run out of time. */
  get idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve()
    return (this.#promise ??= new Promise((resolve) => {
      this.#resolve = resolve
    }))
  }
}
