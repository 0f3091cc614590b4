/** Lets tests wait for what a server has seen. */
export class Changes {
  readonly #looks = new Set<() => void>()

  /** Resolves when `met` holds. It is looked at again whenever something is told. */
  until(met: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!met()) return
        this.#looks.delete(look)
        resolve()
      }
      this.#looks.add(look)
      look()
    })
  }

  /** Something has changed. */
  tell(): void {
    for (const look of this.#looks) look()
  }
}
