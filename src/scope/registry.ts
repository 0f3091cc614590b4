/** One living thing, as an assertion names it. */
export interface Live {
  readonly kind: string
  readonly name: string
  /** Its stack says where it was opened. Only kept while `creationStacks.on`. */
  readonly origin?: Error | undefined
}

/** What lives right now, exactly: an entry is there from the moment of creation to the moment of its end (SC17). */
export class Registry {
  readonly #living = new Set<Live>()

  add(entry: Live): void {
    this.#living.add(entry)
  }

  remove(entry: Live): void {
    this.#living.delete(entry)
  }

  get size(): number {
    return this.#living.size
  }

  list(): Live[] {
    return [...this.#living]
  }
}

/** Turned on by tests: every registered thing remembers where it was created. */
export const creationStacks = { on: false }

/** Where the caller is, if stacks are being kept. It becomes text only when somebody reads it, which is rare. */
export function origin(): Error | undefined {
  return creationStacks.on ? new Error('opened here') : undefined
}
