import type { Resource } from '../scope/index.ts'

/** The outcome of the session's own close: `none` if there is none, `cut` if it did not finish in time. */
export type ForeignOutcome = 'none' | 'pending' | 'resolved' | 'failed' | 'cut'

/** The session's own close as a resource of the guard's scope. It is called once, and given up when its time is up. */
export class ForeignClose implements Resource {
  readonly #close: ((signal: AbortSignal) => unknown) | undefined
  readonly #run: (work: () => unknown) => unknown
  readonly #onSettled: () => void
  readonly #controller = new AbortController()
  #outcome: ForeignOutcome

  /** `run` runs work in the session's context. */
  constructor(
    close: ((signal: AbortSignal) => unknown) | undefined,
    run: (work: () => unknown) => unknown,
    onSettled: () => void,
  ) {
    this.#close = close
    this.#run = run
    this.#onSettled = onSettled
    this.#outcome = close ? 'pending' : 'none'
  }

  get outcome(): ForeignOutcome {
    return this.#outcome
  }

  async close(): Promise<void> {
    try {
      await this.#run(() => this.#close?.(this.#controller.signal))
      this.#settle('resolved')
    } catch (error) {
      this.#settle('failed')
      throw error
    }
  }

  abort(): void {
    if (this.#outcome !== 'pending') return
    this.#run(() => this.#controller.abort())
    this.#settle('cut')
  }

  #settle(outcome: ForeignOutcome): void {
    if (this.#outcome !== 'pending') return
    this.#outcome = outcome
    this.#onSettled()
  }
}
