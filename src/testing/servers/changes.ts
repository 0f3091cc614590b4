/** Lets a test wait until a condition is true. */
export class Changes {
  readonly #checks = new Set<() => void>()

  /** Resolves when the condition is true. It is checked now and on each `notify()`. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!condition()) return
        this.#checks.delete(check)
        resolve()
      }
      this.#checks.add(check)
      check()
    })
  }

  /** Checks all conditions, because something has changed. */
  notify(): void {
    for (const check of this.#checks) check()
  }
}
