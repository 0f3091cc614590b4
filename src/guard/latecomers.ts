import type { CancelledError, Resource } from '../scope/index.ts'
import type { OpenResource } from './open-resource.ts'

/**
 * What a session opens while it is closing. A closing scope takes in nothing new, so all of it belongs to this one
 * resource, which the scope owns from the start. Because it exists from the start, it also notices when closing begins.
 */
export class Latecomers implements Resource {
  static readonly resourceName = 'opened while closing'
  readonly #open = new Set<OpenResource>()
  readonly #onClosing: (reason: CancelledError) => void
  #total = 0
  #lastCall = false
  #resolveClose: (() => void) | undefined

  constructor(onClosing: (reason: CancelledError) => void) {
    this.#onClosing = onClosing
  }

  /** How many were opened in all. */
  get total(): number {
    return this.#total
  }

  add(resource: OpenResource): void {
    this.#total++
    this.#open.add(resource)
  }

  remove(resource: OpenResource): void {
    this.#open.delete(resource)
    this.#check()
  }

  /** The session's own close has ended: from now on, `close()` resolves as soon as none is open. */
  lastCall(): void {
    this.#lastCall = true
    this.#check()
  }

  closing(reason: CancelledError): void {
    this.#onClosing(reason)
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolveClose = resolve
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
    if (this.#lastCall && this.#open.size === 0) this.#resolveClose?.()
  }
}
