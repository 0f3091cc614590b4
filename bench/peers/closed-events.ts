/** Emits the end of a session. Listeners also get ends that came before they subscribed. */
export class ClosedEvents {
  readonly #listeners: (() => void)[] = []
  #count = 0

  readonly emit = (): void => {
    this.#count++
    for (const listener of this.#listeners) listener()
  }

  readonly on = (listener: () => void): void => {
    for (let event = 0; event < this.#count; event++) listener()
    this.#listeners.push(listener)
  }
}
