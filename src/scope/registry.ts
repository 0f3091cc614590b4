/** One live thing, as an assertion names it. */
export interface Live {
  readonly kind: string
  readonly name: string
  /** Its stack shows where the thing was created. Kept only while `creationStacks.on` is true. */
  readonly origin?: Error | undefined
}

/** An exact list of what is live: an entry is present from creation to end (SC17). */
export class Registry {
  readonly #live = new Set<Live>()

  add(entry: Live): void {
    this.#live.add(entry)
  }

  remove(entry: Live): void {
    this.#live.delete(entry)
  }

  get size(): number {
    return this.#live.size
  }

  list(): Live[] {
    return [...this.#live]
  }
}

/** Set by tests: every registered thing then remembers where it was created. */
export const creationStacks = { on: false }

/** Frames of such a stack. Test runners keep a hundred, and recording them took 7 % of the time of the tests. */
const FRAMES = 20

/** The caller's stack, if stacks are kept. It is formatted only when it is read, which is rare. */
export function origin(): Error | undefined {
  if (!creationStacks.on) return undefined
  // Not every engine has the limit.
  const stacks: ErrorConstructor & { stackTraceLimit?: number } = Error
  const { stackTraceLimit } = stacks
  stacks.stackTraceLimit = FRAMES
  const error = new Error('opened here')
  if (stackTraceLimit !== undefined) stacks.stackTraceLimit = stackTraceLimit
  return error
}
