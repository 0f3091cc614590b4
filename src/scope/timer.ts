import type { Timer } from './clock.ts'
import { callOut } from './edge.ts'
import type { Ledger } from './ledger.ts'
import { Owned } from './owned.ts'

/** A timer that a scope owns: it does not fire once the scope has begun to close. */
export class OwnedTimer extends Owned implements Timer {
  readonly kind = 'timer'
  /** Dropped when the timer ends: a callback that never settles must not keep all that it knows (SC9). */
  #callback: (() => unknown) | undefined
  readonly #again: number | undefined
  #timer: Timer | undefined

  constructor(ledger: Ledger, name: string, ms: number, again: number | undefined, callback: () => unknown) {
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
    this.#callback = undefined
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
    if (!this.ledger) return
    const callback = this.#callback
    if (this.#again === undefined) this.#end('fired')
    else this.#arm(this.#again)
    if (callback) callOut(callback, (error) => this.problems.add(`timer '${this.name}'`, error))
  }
}
