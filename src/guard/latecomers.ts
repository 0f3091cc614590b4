import type { CancelledError, Resource } from '../scope/index.ts'
import type { OpenResource } from './open-resource.ts'

/**
 * What a session opens while it is being closed. Its scope takes in nothing any more, so all of it is one resource that
 * the scope has owned from the start; it is there from the start, too, to be told when closing begins.
 */
export class Latecomers implements Resource {
  static readonly resourceName = 'opened while closing'
  readonly #open = new Set<OpenResource>()
  readonly #onClosing: (reason: CancelledError) => void
  #total = 0
  #lastCall = false
  #whenGone: (() => void) | undefined

  constructor(onClosing: (reason: CancelledError) => void) {
    this.#onClosing = onClosing
  }

  /** How many there ever were. */
  get total(): number {
    return this.#total
  }

  add(resource: OpenResource): void {
    this.#total++
    this.#open.add(resource)
  }

  left(resource: OpenResource): void {
    this.#open.delete(resource)
    this.#check()
  }

  /** The session's own close is over: when the last one is gone, nobody waits for another. */
  lastCall(): void {
    this.#lastCall = true
    this.#check()
  }

  closing(reason: CancelledError): void {
    this.#onClosing(reason)
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenGone = resolve
      this.#check()
    })
  }

  abort(): void {
    for (const resource of this.#open) resource.abort()
    this.#open.clear()
  }

  inspect(): object {
    return { open: this.#open.size }
  }

  #check(): void {
    if (this.#lastCall && this.#open.size === 0) this.#whenGone?.()
  }
}
