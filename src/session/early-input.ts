import { limits } from './limits.ts'

/** Keeps the texts and keys that come while a session starts, until it is live (PG5). */
export class EarlyInput {
  /** In order. Undefined once the session is live. */
  #kept: (() => void)[] | undefined = []

  /** Takes a text or a key, now or once the session is live. */
  take(input: () => void): void {
    if (!this.#kept) return input()
    if (this.#kept.length < limits.earlyInput) this.#kept.push(input)
  }

  /** The session is live. */
  takeAll(): void {
    const kept = this.#kept ?? []
    this.#kept = undefined
    for (const input of kept) input()
  }
}
