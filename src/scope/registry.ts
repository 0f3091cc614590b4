/** One live thing, as an assertion names it. */
export interface Live {
  readonly kind: string
  readonly name: string
  /** Its stack shows where the thing was created. Kept only while `creationStacks.on` is true. */
  readonly origin?: Error | undefined
  /** @internal Where it is listed. */
  [PLACE]?: Place | undefined
}

const PLACE = Symbol('place')

/** The neighbours of an entry in its list. */
interface Place {
  readonly registry: Registry
  readonly entry: Live
  before: Place | undefined
  after: Place | undefined
}

/**
 * An exact list of what is live: an entry is present from creation to end (SC17).
 *
 * The list is linked. A `Set` as old as the process moves to a new table now and then, and the old table keeps all that
 * was live at that time in memory until the next full garbage collection (SC22).
 */
export class Registry {
  #first: Place | undefined
  #last: Place | undefined
  #size = 0

  /** An entry is in one list at a time, once. */
  add(entry: Live): void {
    entry[PLACE]?.registry.remove(entry)
    const place: Place = { registry: this, entry, before: this.#last, after: undefined }
    if (this.#last) this.#last.after = place
    else this.#first = place
    this.#last = place
    this.#size++
    entry[PLACE] = place
  }

  /** Does nothing if the entry is not in this list. */
  remove(entry: Live): void {
    const place = entry[PLACE]
    if (place?.registry !== this) return
    const { before, after } = place
    if (before) before.after = after
    else this.#first = after
    if (after) after.before = before
    else this.#last = before
    this.#size--
    entry[PLACE] = place.before = place.after = undefined
  }

  get size(): number {
    return this.#size
  }

  list(): Live[] {
    const all: Live[] = []
    for (let place = this.#first; place; place = place.after) all.push(place.entry)
    return all
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
