/** One living thing, as an assertion names it. */
export interface Live {
  readonly kind: string
  readonly name: string
  /** Where it was opened; only while `creationStacks.on`, since a stack costs microseconds. */
  readonly stack?: string | undefined
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

/** The caller's stack without the frames of the kernel, if stacks are being kept. */
export function creationStack(): string | undefined {
  if (!creationStacks.on) return undefined
  return new Error('created').stack?.split('\n').slice(2).join('\n')
}
