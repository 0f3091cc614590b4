import type { HistoryItem, Session } from '../../../src/session/index.ts'

/** What a call log uses of a session. */
export class FakeSession {
  readonly id: string
  readonly history = { items: [] as HistoryItem[] }
  readonly #listeners: (() => void)[] = []

  constructor(id: string) {
    this.id = id
  }

  get session(): Session {
    return this as unknown as Session
  }

  on(_event: string, listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Adds an item to the history, or changes it. */
  say(text: string, id = `m${this.history.items.length + 1}`): void {
    const items = this.history.items
    const item: HistoryItem = { type: 'message', id, at: 0, role: 'user', text }
    const at = items.findIndex((each) => each.id === id)
    if (at >= 0) items[at] = item
    else items.push(item)
    // One event is enough: a log listens to several.
    this.#listeners[0]?.()
  }
}
