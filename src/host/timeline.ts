import { limits } from './limits.ts'
import type { LiveEvent } from './wire/index.ts'

/** What happened in a call, in order. Of the interim transcripts of a turn, only the first: it says when the turn began. */
export class Timeline {
  readonly #watchers = new Set<(event: LiveEvent) => void>()
  #events: LiveEvent[] = []
  #size = 0
  #heard = false

  get events(): readonly LiveEvent[] {
    return this.#events
  }

  /** Calls `watcher` with every event, including those that are not kept. Returns an unsubscribe function. */
  watch(watcher: (event: LiveEvent) => void): () => void {
    const own = (event: LiveEvent): void => watcher(event)
    this.#watchers.add(own)
    return () => void this.#watchers.delete(own)
  }

  add(event: LiveEvent): void {
    for (const watcher of this.#watchers) watcher(event)
    if (event.type === 'hearing' && this.#heard) return
    this.#heard = event.type === 'hearing' || (this.#heard && event.type !== 'user')
    this.#events.push(event)
    this.#size += sizeOf(event)
    while (this.#events.length > limits.timeline || this.#size > limits.timelineText)
      this.#size -= sizeOf(this.#events.shift()!)
  }
}

/** The characters of its texts, and some for the rest. */
function sizeOf(event: LiveEvent): number {
  return Object.values(event).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 8),
    0,
  )
}
