import { noop } from './noop.ts'
import { CancelledError } from './errors.ts'
import type { Scope, TaskContext } from './scope.ts'

/** What work needs to know of being stopped. A task's context is one. */
export type Stop = Pick<TaskContext, 'until' | 'scope'>

/**
 * `until` for a part that was given a signal and no task: one listener on the signal, however often it waits, because
 * adding listeners to a signal gets slower with each. Call `release()` when the work is over.
 *
 * ```ts
 * const stop = new SignalStop(signal, context.scope)
 * try {
 *   for await (const piece of iterate(text, stop)) …
 * } finally {
 *   stop.release()
 * }
 * ```
 */
export class SignalStop implements Stop {
  readonly scope: Scope<string>
  readonly #signal: AbortSignal
  readonly #waiting = new Set<(reason: unknown) => void>()

  constructor(signal: AbortSignal, scope: Scope<string>) {
    this.scope = scope
    this.#signal = signal
    signal.addEventListener('abort', this.#stopped, { once: true })
  }

  /** What the promise becomes; throws the signal's reason as soon as it aborts. Leaves nothing behind. */
  readonly until = <T>(promise: PromiseLike<T>): Promise<T> => {
    if (!this.#signal.aborted) return waitFor(promise, this.#waiting)
    // What it becomes later must not go unhandled.
    promise.then(noop, noop)
    return Promise.reject(this.#signal.reason)
  }

  /** Lets go of the signal. Whoever still waits is told that it is over: nobody else would. */
  release(): void {
    this.#signal.removeEventListener('abort', this.#stopped)
    if (this.#waiting.size > 0) this.#tell(new CancelledError('the work is over'))
  }

  readonly #stopped = (): void => this.#tell(this.#signal.reason)

  #tell(reason: unknown): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const reject of waiting) reject(reason)
  }
}

/** Outside of the class: what a promise that never settles holds is the set alone, and not the scope (SC9). */
function waitFor<T>(promise: PromiseLike<T>, waiting: Set<(reason: unknown) => void>): Promise<T> {
  return new Promise((resolve, reject) => {
    waiting.add(reject)
    promise.then(
      (value) => {
        waiting.delete(reject)
        resolve(value)
      },
      (error: unknown) => {
        waiting.delete(reject)
        reject(error)
      },
    )
  })
}
