import { Registry, type Clock, type Timer } from '../../../src/scope/index.ts'
import type { SimClock } from '../../../src/testing/index.ts'

/** A process that can be killed, or stopped for a while: nothing happens in it meanwhile, and then everything at once. */
export class SimProcess {
  readonly name: string
  readonly clock: Clock
  readonly #clock: SimClock
  #late: (() => void)[] = []
  dead = false
  frozen = false

  constructor(clock: SimClock, name: string) {
    this.#clock = clock
    this.name = name
    this.clock = {
      now: () => clock.now(),
      date: () => clock.date(),
      timers: new Registry(),
      after: (ms, what, callback) => this.#after(ms, what, callback),
    }
  }

  get runs(): boolean {
    return !this.dead && !this.frozen
  }

  kill(): void {
    this.dead = true
    this.#late = []
  }

  /** SIGSTOP, and SIGCONT after `ms`. */
  freeze(ms: number): void {
    if (!this.runs) return
    this.frozen = true
    this.#clock.happen(ms, `${this.name} goes on`, () => {
      this.frozen = false
      for (const callback of this.#late.splice(0)) this.#run(callback)
    })
  }

  /** An answer from outside of the process. Never settles if the process is dead by then. */
  receive<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      answer.then(
        (value) => this.#run(() => resolve(value)),
        (error: unknown) => this.#run(() => reject(error)),
      )
    })
  }

  #after(ms: number, what: string, callback: () => void): Timer {
    let cleared = false
    const timer = this.#clock.happen(ms, what, () => this.#run(() => cleared || callback()))
    return {
      clear: () => {
        cleared = true
        timer.clear()
      },
    }
  }

  #run(callback: () => void): void {
    if (this.dead) return
    if (this.frozen) this.#late.push(callback)
    else callback()
  }
}
