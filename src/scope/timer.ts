import type { Timer } from './clock.ts'
import type { Ledger } from './ledger.ts'
import { Owned } from './owned.ts'

/** A timer that a scope owns: it does not fire once the scope has begun to close. */
export class OwnedTimer extends Owned implements Timer {
  readonly kind = 'timer'
  readonly #callback: () => void
  readonly #again: number | undefined
  #timer: Timer | undefined

  constructor(ledger: Ledger, name: string, ms: number, again: number | undefined, callback: () => void) {
    super(ledger, name, 0)
    this.#callback = callback
    this.#again = again
    this.#arm(ms)
  }

  clear(): void {
    this.#end('cleared')
  }

  #end(outcome: 'cleared' | 'fired'): void {
    this.#timer?.clear()
    this.#timer = undefined
    this.leave()?.ended(this, outcome)
  }

  override tell(): void {
    this.clear()
  }

  force(): void {
    this.clear()
  }

  hold(): number {
    return 0
  }

  #arm(ms: number): void {
    this.#timer = this.ledger!.clock.after(ms, this.name, () => this.#fire())
  }

  #fire(): void {
    const { ledger } = this
    if (!ledger) return
    if (this.#again === undefined) this.#end('fired')
    else this.#arm(this.#again)
    try {
      this.#callback()
    } catch (error) {
      ledger.problem(`timer '${this.name}'`, error)
    }
  }
}
