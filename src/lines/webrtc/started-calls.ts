import { limits } from './limits.ts'

/** Tokens of calls that were started, by the id of the call: some clients keep only the id from the answer. */
export class StartedCalls {
  /** The oldest first. */
  readonly #tokens = new Map<string, string>()

  add(id: string, token: string): void {
    this.#tokens.set(id, token)
    const [oldest] = this.#tokens.keys()
    if (this.#tokens.size > limits.started && oldest !== undefined) this.#tokens.delete(oldest)
  }

  tokenOf(id: string): string | undefined {
    return this.#tokens.get(id)
  }
}
