import type { Clock, Timer } from '../scope/index.ts'
import type { KeepAlive } from './protocol.ts'

/** Decides when an unused connection needs a keep-alive frame. */
export class Heartbeat {
  readonly #clock: Clock
  readonly #name: string
  readonly #every: number
  readonly #always: boolean
  #timer: Timer | undefined
  #unused = true

  constructor(clock: Clock, name: string, { every, always = false }: KeepAlive) {
    this.#clock = clock
    this.#name = `link '${name}': keep-alive`
    this.#every = every
    this.#always = always
  }

  /** To be called for everything else that is sent. Cheap, because that is every frame. */
  sent(): void {
    this.#unused = false
  }

  start(beat: () => void): void {
    this.stop()
    this.#unused = true
    const next = (): void => {
      this.#timer = this.#clock.after(this.#every, this.#name, () => {
        const due = this.#unused || this.#always
        this.#unused = true
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
