import type { Wake, WakeListener } from './journal.ts'

/** The listeners of one journal. */
export class Listeners {
  readonly #listeners = new Set<WakeListener>()

  get size(): number {
    return this.#listeners.size
  }

  add(listener: WakeListener): () => void {
    const own: WakeListener = (what, host) => listener(what, host)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  notify(what: Wake, host?: string): void {
    for (const listener of this.#listeners) listener(what, host)
  }
}
