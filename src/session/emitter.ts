/** What can be listened to: the name of an event and what comes with it. */
export type EventMap = Readonly<Record<string, unknown>>

/** One event, as the iterator gives it. */
export type EventOf<Events extends EventMap> = {
  [Name in keyof Events & string]: { readonly type: Name; readonly data: Events[Name] }
}[keyof Events & string]

/** Unread events that an iterator keeps before it drops the oldest. A reader who stands still must not fill the memory. */
export const unreadLimit = 10_000

/**
 * Typed events. A listener that throws, or whose promise rejects, disturbs nobody: the error goes to `onError` (CL5).
 */
export class Emitter<Events extends EventMap> {
  readonly #listeners = new Map<keyof Events, Set<(data: never) => unknown>>()
  readonly #readers = new Set<Reader<EventOf<Events>>>()
  readonly #onError: (event: string, error: unknown) => void
  #ended = false

  constructor(onError: (event: string, error: unknown) => void) {
    this.#onError = onError
  }

  /** Returns the way to stop listening. */
  on<Name extends keyof Events & string>(name: Name, listener: (data: Events[Name]) => unknown): () => void {
    // A function of its own for each call, so that one listener registered twice is two.
    const own = (data: never): unknown => listener(data)
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(own))
    return () => void listeners.delete(own)
  }

  emit<Name extends keyof Events & string>(name: Name, data: Events[Name]): void {
    // A copy: a listener that adds another one does not make this go on for ever.
    for (const listener of Array.from(this.#listeners.get(name) ?? [])) this.#call(name, listener, data)
    for (const reader of this.#readers) reader.push({ type: name, data })
  }

  /** No event comes after this. Iterators end when they have given out what they hold. */
  end(): void {
    this.#ended = true
    this.#listeners.clear()
    for (const reader of this.#readers) reader.end()
    this.#readers.clear()
  }

  /**
   * All events from now on, until there are no more. Leaving the loop costs nothing and closes nothing: the events of a
   * session are not the session.
   */
  iterate(): AsyncIterableIterator<EventOf<Events>> {
    const reader = new Reader<EventOf<Events>>(() => this.#readers.delete(reader))
    if (this.#ended) reader.end()
    else this.#readers.add(reader)
    return reader
  }

  #call(name: string, listener: (data: never) => unknown, data: unknown): void {
    try {
      const outcome = listener(data as never)
      if (outcome instanceof Promise) outcome.catch((error: unknown) => this.#onError(name, error))
    } catch (error) {
      this.#onError(name, error)
    }
  }
}

class Reader<Item> implements AsyncIterableIterator<Item> {
  readonly #unread: Item[] = []
  readonly #waiting: ((result: IteratorResult<Item>) => void)[] = []
  readonly #left: () => void
  #ended = false

  constructor(left: () => void) {
    this.#left = left
  }

  push(item: Item): void {
    const waiting = this.#waiting.shift()
    if (waiting) return waiting({ done: false, value: item })
    this.#unread.push(item)
    if (this.#unread.length > unreadLimit) this.#unread.shift()
  }

  end(): void {
    this.#ended = true
    for (const waiting of this.#waiting.splice(0)) waiting({ done: true, value: undefined })
  }

  next(): Promise<IteratorResult<Item>> {
    const item = this.#unread.shift()
    if (item !== undefined) return Promise.resolve({ done: false, value: item })
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  return(): Promise<IteratorResult<Item>> {
    this.#unread.length = 0
    this.#left()
    this.end()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
