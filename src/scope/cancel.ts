import { CancelledError } from './errors.ts'

export type CancelListener = (reason: CancelledError) => void

/**
 * A request to stop, seen from the side of the work: it is made once, with one reason, and never taken back.
 *
 * Listeners are plain callbacks with O(1) removal. The `AbortSignal` is built only when somebody asks for it, because
 * it costs more than all the rest of a task.
 */
export class CancelToken {
  #reason: CancelledError | undefined
  #listeners: Set<CancelListener> | undefined
  #controller: AbortController | undefined

  get cancelled(): boolean {
    return this.#reason !== undefined
  }

  get reason(): CancelledError | undefined {
    return this.#reason
  }

  /** For `fetch` and everything else that takes one. Its reason is the token's reason. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#reason) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** Calls `listener` when the token is cancelled, at once if it is already. Returns the way to unsubscribe. */
  onCancel(listener: CancelListener): () => void {
    if (this.#reason) {
      listener(this.#reason)
      return nothing
    }
    // A function of its own for each call: the same listener registered twice is two subscriptions.
    const own: CancelListener = (reason) => listener(reason)
    const listeners = (this.#listeners ??= new Set())
    listeners.add(own)
    return () => listeners.delete(own)
  }

  /**
   * What `promise` becomes, unless the token is cancelled first: then the reason is thrown at once. It leaves nothing
   * behind on the token, so it can stand in a loop that runs for hours.
   */
  until<T>(promise: PromiseLike<T>): Promise<T> {
    if (this.#reason) {
      promise.then(nothing, nothing)
      return Promise.reject(this.#reason)
    }
    const listeners = (this.#listeners ??= new Set())
    return new Promise((resolve, reject) => {
      // `reject` is its own listener: the cheapest subscription there is, and this stands in every audio loop.
      listeners.add(reject)
      promise.then(
        (value) => {
          listeners.delete(reject)
          resolve(value)
        },
        (error: unknown) => {
          listeners.delete(reject)
          reject(error)
        },
      )
    })
  }

  throwIfCancelled(): void {
    if (this.#reason) throw this.#reason
  }

  /**
   * Makes the request. Every listener is called, whatever the others do; what one throws goes to `onError`.
   * @internal
   */
  cancelWith(reason: CancelledError, onError: (error: unknown) => void): void {
    if (this.#reason) return
    this.#reason = reason
    const listeners = this.#listeners
    this.#listeners = undefined
    this.#controller?.abort(reason)
    for (const listener of listeners ?? []) {
      try {
        listener(reason)
      } catch (error) {
        onError(error)
      }
    }
  }
}

export function nothing(): void {}
