import type { Resource } from '../scope/index.ts'
import type { Opened } from './context.ts'

/**
 * One thing that a guarded session has opened, as a scope owns it. To close it is to wait for it: ending it in its own
 * way is up to the session.
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

  /** It is gone, by itself. Returns whether somebody was waiting for that. */
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
