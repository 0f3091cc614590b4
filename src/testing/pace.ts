import { EndwellError, type Clock } from '../scope/index.ts'

/** What somebody waits for, in words, and what is alive meanwhile: for the error, if it never comes. */
export interface Waiting {
  readonly what: string
  /** One line each. Asked only when the wait has failed. */
  readonly alive?: () => readonly string[]
  /** Milliseconds that it may take by its own rules: patience begins after them. */
  readonly takes?: number
}

/** How time passes while a test waits. */
export interface Pace {
  readonly clock: Clock
  /** Resolves when `met` holds and every microtask has run. Rejects with `StuckError` if that cannot be, or takes too long. */
  until(met: () => boolean, waiting: Waiting): Promise<void>
  /** What the promise becomes, with time passing until it does. */
  run<T>(promise: PromiseLike<T>, waiting: Waiting): Promise<T>
  /** Something has changed that somebody may be waiting for. */
  changed(): void
}

/** What was waited for will never come, or did not come in time. The message says what it was, and what is alive. */
export class StuckError extends EndwellError {
  constructor(why: string, { what, alive = () => [] }: Waiting, hint = '') {
    const left = alive().map((line) => `\n  ${line}`)
    const still = left.length > 0 ? `\nstill alive:${left.join('')}` : '\nnothing is alive'
    super('STUCK', `${what}: ${why}${still}${hint === '' ? '' : `\n${hint}`}`)
  }
}

/** A promise that can be looked at. */
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

  /** What it became; throws what it rejected with. */
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
