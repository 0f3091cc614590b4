import type { Timer } from './clock.ts'
import { callOut } from './edge.ts'
import { Owned, type Owner } from './owned.ts'
import type { Problems } from './problems.ts'

/** A timer that a scope owns. It does not fire once the scope has begun to close. */
export class OwnedTimer extends Owned implements Timer {
  readonly kind = 'timer'
  /** Undefined once the timer has ended: a callback that never settles must not keep its closure alive (SC9). */
  #callback: (() => unknown) | undefined
  readonly #interval: number | undefined
  readonly #problems: Problems
  #timer: Timer | undefined

  constructor(
    ledger: Owner,
    name: string,
    ms: number,
    interval: number | undefined,
    callback: () => unknown,
  ) {
    super(ledger, name, 0)
    this.#callback = callback
    this.#interval = interval
    this.#problems = ledger.problems
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

  override notifyClosing(): void {
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
    if (this.#interval === undefined) this.#end('fired')
    else this.#arm(this.#interval)
    if (callback) callOut(callback, (error) => this.#problems.add(`timer '${this.name}'`, error))
  }
}
