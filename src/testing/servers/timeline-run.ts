import type { Clock, Timer } from '../../scope/index.ts'
import { inTheWorld } from '../world-time.ts'

/** What a server does over time: it yields how many milliseconds pass before it goes on. `Infinity` is for ever. */
export type Acts = Generator<number, void>

/** Acts out what a server does, until it has ended or is stopped. */
export class Play {
  readonly #clock: Clock
  readonly #name: string
  readonly #acts: Acts
  #timer: Timer | undefined
  #over = false

  constructor(clock: Clock, name: string, acts: Acts) {
    this.#clock = clock
    this.#name = name
    this.#acts = acts
    this.#goOn()
  }

  /** Nothing more happens. May come from within the acts themselves. */
  stop(): void {
    this.#over = true
    this.#timer?.clear()
  }

  get over(): boolean {
    return this.#over
  }

  #goOn(): void {
    while (!this.#over) {
      const { done, value } = this.#acts.next()
      if (done) this.#over = true
      else if (value === Infinity) return
      else if (value > 0 && !this.#over) {
        this.#timer = inTheWorld(this.#clock, value, this.#name, () => this.#goOn())
        return
      }
    }
  }
}
