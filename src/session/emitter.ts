import { callOut } from '../scope/index.ts'

/** One event, as the iterator yields it. */
export type EventOf<Events> = {
  [Name in keyof Events & string]: { readonly type: Name; readonly data: Events[Name] }
}[keyof Events & string]

/** How many unread events an iterator buffers before it drops the oldest, so that a stuck reader cannot exhaust memory. */
export const unreadLimit = 10_000

/** Typed events. A listener that throws, or whose promise rejects, affects no other: the error goes to `onError` (CL5). */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(data: never) => unknown>>()
  readonly #readers = new Set<Reader<EventOf<Events>>>()
  readonly #last: keyof Events
  readonly #onError: (event: string, error: unknown) => void
  #ended = false

  /** `last` is the last event: nothing is emitted after it, and iterators end once they have yielded it. */
  constructor(last: keyof Events, onError: (event: string, error: unknown) => void) {
    this.#last = last
    this.#onError = onError
  }

  /** Returns an unsubscribe function. */
  on<Name extends keyof Events & string>(name: Name, listener: (data: Events[Name]) => unknown): () => void {
    // A new function for each subscription, so that the same listener can be registered twice.
    const own = (data: never): unknown => listener(data)
    const listeners = this.#listeners.get(name) ?? new Set()
    this.#listeners.set(name, listeners.add(own))
    return () => void listeners.delete(own)
  }

  emit<Name extends keyof Events & string>(name: Name, data: Events[Name]): void {
    if (this.#ended) return
    // First, so that an event caused by a listener of the last event is not emitted after it.
    this.#ended = name === this.#last
    // Iterates over a copy, because a listener may add another one.
    for (const listener of Array.from(this.#listeners.get(name) ?? []))
      callOut(
        () => listener(data as never),
        (error) => this.#onError(name, error),
      )
    for (const reader of this.#readers) reader.push({ type: name, data })
    if (name !== this.#last) return
    for (const reader of this.#readers) reader.end()
    this.#readers.clear()
    this.#listeners.clear()
  }

  /** Iterates over all events from now on. */
  iterate(): AsyncIterableIterator<EventOf<Events>> {
    const reader = new Reader<EventOf<Events>>(() => this.#readers.delete(reader))
    if (this.#ended) reader.end()
    else this.#readers.add(reader)
    return reader
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
