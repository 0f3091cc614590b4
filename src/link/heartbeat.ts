import type { Clock, Timer } from '../scope/index.ts'
import type { KeepAlive } from './protocol.ts'

/** Says when a connection on which nothing is said needs a sign of life. */
export class Heartbeat {
  readonly #clock: Clock
  readonly #name: string
  readonly #every: number
  readonly #always: boolean
  #timer: Timer | undefined
  #quiet = true

  constructor(clock: Clock, name: string, { every, always = false }: KeepAlive) {
    this.#clock = clock
    this.#name = `link '${name}': keep-alive`
    this.#every = every
    this.#always = always
  }

  /** Something else was sent. Called for every frame: it only makes a note. */
  sent(): void {
    this.#quiet = false
  }

  start(beat: () => void): void {
    this.stop()
    this.#quiet = true
    const next = (): void => {
      this.#timer = this.#clock.after(this.#every, this.#name, () => {
        const due = this.#quiet || this.#always
        this.#quiet = true
        next()
        if (due) beat()
      })
    }
    next()
  }

  stop(): void {
    this.#timer?.clear()
    this.#timer = undefined
  }
}
