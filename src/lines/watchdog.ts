import type { Scope, Timer } from '../scope/index.ts'

/**
 * Notices that a caller has vanished without a word: nothing came for `patience`, although something had to (LN2).
 * Signs come for every frame of sound, so a sign is one note of the time; one timer looks at it.
 */
export class Watchdog {
  readonly #scope: Scope<string>
  readonly #patience: number
  readonly #lost: () => void
  #sign = 0
  #timer: Timer | undefined

  constructor(scope: Scope<string>, patience: number, lost: () => void) {
    this.#scope = scope
    this.#patience = patience
    this.#lost = lost
  }

  /** The caller lives. */
  sign(): void {
    this.#sign = this.#scope.clock.now()
  }

  start(): void {
    this.sign()
    this.#look(this.#patience)
  }

  stop(): void {
    this.#timer?.clear()
    this.#timer = undefined
  }

  #look(wait: number): void {
    const { clock } = this.#scope
    const due = clock.now() + wait
    this.#timer?.clear()
    this.#timer = this.#scope.after(wait, 'sign of life from the caller', () => {
      const now = clock.now()
      const left = this.#sign + this.#patience - now
      if (left > 0) return this.#look(left)
      // This process itself was away, and has not read yet what came meanwhile.
      if (now - due > this.#patience / 4) return this.#look(this.#patience / 4)
      return this.#lost()
    })
  }
}
