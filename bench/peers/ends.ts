/** Tells of the ends of a session, those included that came before anybody listened. */
export class Ends {
  readonly #listeners: (() => void)[] = []
  #count = 0

  readonly tell = (): void => {
    this.#count++
    for (const listener of this.#listeners) listener()
  }

  readonly listen = (listener: () => void): void => {
    for (let end = 0; end < this.#count; end++) listener()
    this.#listeners.push(listener)
  }
}
