import { limits } from './limits.ts'

/** The names of calls that have ended: a late webhook or stream must not start them again. */
export class PastCalls {
  /** The latest last. */
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
