import type { GeminiContent } from './gemini-messages.ts'
import { Ids } from './ids.ts'

/** What a handle brings back: which conversation it was, and what had been said by then. */
export interface GeminiKept {
  readonly name: string
  readonly contents: readonly GeminiContent[]
}

/** The handles that a server has given out. */
export class GeminiHandles {
  readonly #ids = new Ids()
  readonly #kept = new Map<string, GeminiKept>()

  /** A name for a conversation: the same on every connection that resumes it. */
  newName(): string {
    return this.#ids.next('session')
  }

  /** Keeps what was said so far under a new handle. */
  keep(name: string, contents: readonly GeminiContent[]): string {
    const handle = this.#ids.next('handle')
    this.#kept.set(handle, { name, contents: [...contents] })
    return handle
  }

  find(handle: string): GeminiKept | undefined {
    return this.#kept.get(handle)
  }

  forget(): void {
    this.#kept.clear()
  }
}
