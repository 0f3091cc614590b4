import { noop } from './noop.ts'
import { CancelledError } from './errors.ts'
import type { Scope, TaskContext } from './scope.ts'

/** How code learns that it should stop. A task's context is one. */
export type Stop = Pick<TaskContext, 'until' | 'scope'>

/**
 * `until` for a part that has a signal but no task. It adds one listener to the signal, however often it waits, because
 * each further listener of a signal makes adding the next one slower. Call `release()` when the work has ended.
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

  /** Settles like the promise, or rejects with the signal's reason as soon as it aborts. */
  readonly until = <T>(promise: PromiseLike<T>): Promise<T> => {
    if (!this.#signal.aborted) return waitFor(promise, this.#waiting)
    // A later rejection must not be unhandled.
    promise.then(noop, noop)
    return Promise.reject(this.#signal.reason)
  }

  /** Removes the listener from the signal. Rejects what is still waiting. */
  release(): void {
    this.#signal.removeEventListener('abort', this.#stopped)
    if (this.#waiting.size > 0) this.#reject(new CancelledError('the work has ended'))
  }

  readonly #stopped = (): void => this.#reject(this.#signal.reason)

  #reject(reason: unknown): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const reject of waiting) reject(reason)
  }
}

/** Outside of the class, so that a promise that never settles holds the set only, and not the scope (SC9). */
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
