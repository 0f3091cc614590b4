import type { Wake } from './journal.ts'

/** The listeners of one journal. */
export class Listeners {
  readonly #listeners = new Set<(what: Wake) => void>()

  get size(): number {
    return this.#listeners.size
  }

  add(listener: (what: Wake) => void): () => void {
    const own = (what: Wake): void => listener(what)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  notify(what: Wake): void {
    for (const listener of this.#listeners) listener(what)
  }
}
