import type { Clock } from '../scope/index.ts'
import { limits } from './limits.ts'

/** Limits the number of wrong secrets per address. */
export class Attempts {
  readonly #clock: Clock
  readonly #failures = new Map<string, { count: number; readonly since: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether this address has reached the limit. */
  isBarred(address: string): boolean {
    return (this.#current(address)?.count ?? 0) >= limits.attempts
  }

  failed(address: string): void {
    const current = this.#current(address)
    if (current) {
      current.count++
      return
    }
    this.#failures.delete(address)
    this.#failures.set(address, { count: 1, since: this.#clock.now() })
    for (const oldest of this.#failures.keys()) {
      if (this.#failures.size <= limits.addresses) return
      this.#failures.delete(oldest)
    }
  }

  #current(address: string): { count: number; readonly since: number } | undefined {
    const failures = this.#failures.get(address)
    return failures && this.#clock.now() - failures.since < limits.attemptsWindow ? failures : undefined
  }
}
