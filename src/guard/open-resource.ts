import type { Resource } from '../scope/index.ts'
import type { Opened } from './context.ts'

/**
 * Something that a guarded session has opened, as a resource of the guard's scope. `close()` only waits for its end,
 * because the session itself has to end it.
 */
export class OpenResource implements Resource {
  readonly opened: Opened
  readonly since: number
  readonly #sever: (resource: OpenResource) => void
  #ended = false
  #whenEnded: (() => void) | undefined

  constructor(opened: Opened, since: number, sever: (resource: OpenResource) => void) {
    this.opened = opened
    this.since = since
    this.#sever = sever
  }

  close(): Promise<void> | undefined {
    if (this.#ended) return undefined
    return new Promise((resolve) => {
      this.#whenEnded = resolve
    })
  }

  /** To be called when it has ended by itself. Returns whether `close()` was waiting for that. */
  ended(): boolean {
    this.#ended = true
    this.#whenEnded?.()
    return this.#whenEnded !== undefined
  }

  abort(): void {
    if (this.#ended) return
    this.#ended = true
    this.#sever(this)
  }

  inspect(): object {
    return { kind: this.opened.kind }
  }
}
