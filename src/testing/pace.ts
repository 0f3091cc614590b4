import { EndwellError, type Clock } from '../scope/index.ts'

/** Describes a wait, for the error if it fails. */
export interface Waiting {
  readonly what: string
  /** What is still active, one line each. Called only when the wait has failed. */
  readonly alive?: () => readonly string[]
  /** Milliseconds that the wait is expected to take. They are added to the time limit. */
  readonly takes?: number
}

/** How time passes while a test waits: virtual or real. */
export interface Pace {
  readonly clock: Clock
  /**
   * Resolves when `met` is true and every microtask has run. Rejects with `StuckError` if that is impossible or takes too
   * long.
   */
  until(met: () => boolean, waiting: Waiting): Promise<void>
  /** Settles like the promise, and lets time pass until then. */
  run<T>(promise: PromiseLike<T>, waiting: Waiting): Promise<T>
  /** To be called after a change that may fulfil a wait. */
  changed(): void
}

/** A wait can never end, or took too long. The message says what was waited for, and what is still active. */
export class StuckError extends EndwellError {
  constructor(why: string, { what, alive = () => [] }: Waiting, hint = '') {
    const left = alive().map((line) => `\n  ${line}`)
    const still = left.length > 0 ? `\nstill active:${left.join('')}` : '\nnothing is active'
    super('STUCK', `${what}: ${why}${still}${hint === '' ? '' : `\n${hint}`}`)
  }
}

/** A promise whose state can be read synchronously. */
export class Watched<T> {
  #settled: { readonly value: T } | { readonly error: unknown } | undefined

  constructor(promise: PromiseLike<T>, changed: () => void) {
    promise.then(
      (value) => this.#settle({ value }, changed),
      (error: unknown) => this.#settle({ error }, changed),
    )
  }

  get settled(): boolean {
    return this.#settled !== undefined
  }

  /** The value of the promise. Throws if it has rejected. */
  get outcome(): T {
    const settled = this.#settled!
    if ('error' in settled) throw settled.error
    return settled.value
  }

  #settle(settled: { readonly value: T } | { readonly error: unknown }, changed: () => void): void {
    this.#settled = settled
    changed()
  }
}
