import { limits } from './limits.ts'

/** Names of ended calls, up to a limit: a late webhook or stream must not start them again. */
export class PastCalls {
  readonly #names = new Set<string>()

  has(call: string): boolean {
    return this.#names.has(call)
  }

  add(call: string): void {
    this.#names.delete(call)
    this.#names.add(call)
    const [oldest] = this.#names
    if (this.#names.size > limits.remembered && oldest !== undefined) this.#names.delete(oldest)
  }
}
