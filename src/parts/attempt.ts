import { type Scope, SignalStop, type Timer } from '../scope/index.ts'
import { PartTimeoutError } from './errors.ts'

/**
 * One attempt at an operation. Its signal aborts with any of the outer signals, or when the operation has not begun to
 * answer in time. Always call `end()` afterwards.
 */
export class Attempt {
  readonly stop: SignalStop
  readonly #controller = new AbortController()
  readonly #what: string
  readonly #outer: readonly AbortSignal[]
  readonly #scope: Scope<string>
  readonly #timeout: number
  #timer: Timer | undefined
  #begun = false

  constructor(what: string, outer: readonly AbortSignal[], scope: Scope<string>, timeout: number) {
    this.#what = what
    this.#outer = outer
    this.#scope = scope
    this.#timeout = timeout
    this.stop = new SignalStop(this.signal, scope)
    for (const signal of outer) signal.addEventListener('abort', this.#cancelled, { once: true })
    this.#cancelled()
    this.resume()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Stops the timeout while the operation waits for its own input. */
  pause(): void {
    this.#timer?.clear()
    this.#timer = undefined
  }

  /** Restarts the timeout. */
  resume(): void {
    if (this.#begun || this.#timer || this.signal.aborted) return
    // Not one of the scope's timers, which stop when it begins to close: the last words may still be transcribed then.
    this.#timer = this.#scope.clock.after(this.#timeout, `limit of ${this.#what}`, () =>
      this.#controller.abort(new PartTimeoutError(this.#what, this.#timeout)),
    )
  }

  /** The operation has begun to answer: there is no timeout from here on. */
  began(): void {
    this.#begun = true
    this.pause()
  }

  end(): void {
    this.began()
    this.stop.release()
    for (const signal of this.#outer) signal.removeEventListener('abort', this.#cancelled)
  }

  readonly #cancelled = (): void => {
    const first = this.#outer.find(({ aborted }) => aborted)
    if (!first) return
    this.pause()
    this.#controller.abort(first.reason)
  }
}
