import { type Scope, SignalStop, type Timer } from '../scope/index.ts'
import { PartTimeoutError } from './errors.ts'

/**
 * One try at something: its signal aborts with any of the outer ones, or when it has not begun within its time. Call
 * `end()` when it is over, however that came.
 */
export class Attempt {
  readonly stop: SignalStop
  readonly #controller = new AbortController()
  readonly #what: string
  readonly #outer: readonly AbortSignal[]
  readonly #scope: Scope<string>
  readonly #within: number
  #timer: Timer | undefined
  #begun = false

  constructor(what: string, outer: readonly AbortSignal[], scope: Scope<string>, within: number) {
    this.#what = what
    this.#outer = outer
    this.#scope = scope
    this.#within = within
    this.stop = new SignalStop(this.signal, scope)
    for (const signal of outer) signal.addEventListener('abort', this.#cancelled, { once: true })
    this.#cancelled()
    this.resume()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** It waits for somebody else now, and that does not count. */
  pause(): void {
    this.#timer?.clear()
    this.#timer = undefined
  }

  /** It has what it waited for: its time begins anew. */
  resume(): void {
    if (this.#begun || this.#timer || this.signal.aborted) return
    // Not a timer of the scope: those stop when it begins to close, and a last word may still be waited for.
    this.#timer = this.#scope.clock.after(this.#within, `limit of ${this.#what}`, () =>
      this.#controller.abort(new PartTimeoutError(this.#what, this.#within)),
    )
  }

  /** It has begun to answer: from here on it may take its time. */
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
