interface Item {
  readonly name: string
  readonly due: number
}

/** Names in the order in which they fall due: a binary heap, so that a large queue stays cheap. */
export class DueQueue {
  #heap: Item[] = []

  get size(): number {
    return this.#heap.length
  }

  /** When the first name is due. */
  get next(): number | undefined {
    return this.#heap[0]?.due
  }

  add(name: string, due: number): void {
    const heap = this.#heap
    const item = { name, due }
    let at = heap.length
    while (at > 0) {
      const above = (at - 1) >>> 1
      if (heap[above]!.due <= due) break
      heap[at] = heap[above]!
      at = above
    }
    heap[at] = item
  }

  /** Removes and returns up to `limit` names that are due at `now`. */
  take(now: number, limit: number): string[] {
    const names: string[] = []
    while (this.size > 0 && names.length < limit && this.next! <= now) names.push(this.#pop())
    return names
  }

  clear(): void {
    this.#heap = []
  }

  #pop(): string {
    const heap = this.#heap
    const { name } = heap[0]!
    const last = heap.pop()!
    const size = heap.length
    if (size === 0) return name
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= size) break
      if (below + 1 < size && heap[below + 1]!.due < heap[below]!.due) below++
      if (heap[below]!.due >= last.due) break
      heap[at] = heap[below]!
      at = below
    }
    heap[at] = last
    return name
  }
}
