import type { GeminiContent } from './gemini-messages.ts'
import { Ids } from './ids.ts'

/** A conversation at the time its handle was issued. */
export interface GeminiCheckpoint {
  readonly name: string
  readonly contents: readonly GeminiContent[]
}

/** The resumption handles that a server has issued. */
export class GeminiHandles {
  readonly #ids = new Ids()
  readonly #checkpoints = new Map<string, GeminiCheckpoint>()

  /** A name for a new conversation, which all connections that resume it share. */
  newName(): string {
    return this.#ids.next('session')
  }

  /** Stores a checkpoint and returns its handle. */
  issue(name: string, contents: readonly GeminiContent[]): string {
    const handle = this.#ids.next('handle')
    this.#checkpoints.set(handle, { name, contents: [...contents] })
    return handle
  }

  find(handle: string): GeminiCheckpoint | undefined {
    return this.#checkpoints.get(handle)
  }

  clear(): void {
    this.#checkpoints.clear()
  }
}
