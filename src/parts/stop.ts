import type { Scope, TaskContext } from '../scope/index.ts'

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
  readonly until = <T>(promise: PromiseLike<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      if (this.#signal.aborted) reject(this.#signal.reason)
      else this.#waiting.add(reject)
      // Also when nobody waits any more: what the promise becomes later must not go unhandled.
      promise.then(
        (value) => {
          this.#waiting.delete(reject)
          resolve(value)
        },
        (error: unknown) => {
          this.#waiting.delete(reject)
          reject(error)
        },
      )
    })

  release(): void {
    this.#signal.removeEventListener('abort', this.#stopped)
  }

  readonly #stopped = (): void => {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const reject of waiting) reject(this.#signal.reason)
  }
}
