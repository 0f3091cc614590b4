import { callOut, observe } from './edge.ts'
import { CancelledError } from './errors.ts'
import { guardSignal } from './guarded-signal.ts'
import { noop } from './noop.ts'

export type CancelListener = (reason: CancelledError) => void

/**
 * A request to stop, as the work sees it. A token is cancelled once, with one reason, for good.
 *
 * Listeners are plain callbacks with O(1) removal. The `AbortSignal` is built on first use, because it costs more than
 * the rest of a task.
 */
export class CancelToken {
  #reason: CancelledError | undefined
  #listeners: Listeners
  #controller: Pick<AbortController, 'signal' | 'abort'> | undefined

  get cancelled(): boolean {
    return this.#reason !== undefined
  }

  get reason(): CancelledError | undefined {
    return this.#reason
  }

  /** For `fetch` and other APIs that take a signal. Its reason is the token's reason. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      const reason = this.#reason
      // A signal that is aborted from the start costs half as much as one that aborts.
      this.#controller = reason ? { signal: AbortSignal.abort(reason), abort: noop } : new AbortController()
      guardSignal(this.#controller.signal, () => this.errorSink())
    }
    return this.#controller.signal
  }

  // `onCancel` and `until` are getters, so that each can be destructured from a task's context and called alone.

  /**
   * Calls `listener` when the token is cancelled, or right away if it is cancelled already. Returns an unsubscribe
   * function.
   */
  get onCancel(): (listener: CancelListener) => () => void {
    return (listener) => {
      // A new function per call: registering the same listener twice makes two subscriptions.
      const own: CancelListener = (reason) => callOut(() => listener(reason), this.errorSink())
      if (this.#reason) {
        own(this.#reason)
        return noop
      }
      this.#listeners = add(this.#listeners, own)
      return () => {
        this.#listeners = remove(this.#listeners, own)
      }
    }
  }

  /**
   * Settles like `promise`, or rejects with the reason as soon as the token is cancelled. It leaves nothing behind on
   * the token, so it is safe in a loop that runs for hours.
   */
  get until(): <T>(promise: PromiseLike<T>) => Promise<T> {
    // Bound, because a closure is twice as large, and a task keeps this function for as long as it waits.
    return this.untilSettled.bind(this)
  }

  throwIfCancelled(): void {
    if (this.#reason) throw this.#reason
  }

  /** @internal */
  untilSettled<T>(promise: PromiseLike<T>): Promise<T> {
    if (this.#reason) {
      observe(promise, noop, noop)
      return Promise.reject(this.#reason)
    }
    return new Promise((resolve, reject) => {
      // `reject` itself is the listener: the cheapest subscription, for audio loops.
      this.#listeners = add(this.#listeners, reject)
      observe(
        promise,
        (value) => {
          this.#listeners = remove(this.#listeners, reject)
          resolve(value)
        },
        (error) => {
          this.#listeners = remove(this.#listeners, reject)
          reject(error)
        },
      )
    })
  }

  /**
   * Returns a function that receives the errors of a listener called now. By default, errors are dropped.
   * @internal
   */
  protected errorSink(): (error: unknown) => void {
    return noop
  }

  /**
   * Cancels the token. Every listener is called, whatever the others do.
   * @internal
   */
  cancelWith(reason: CancelledError): void {
    if (this.#reason) return
    this.#reason = reason
    this.#controller?.abort(reason)
    // The list stays in place during the loop, so that a listener can still unsubscribe a later one.
    const listeners = this.#listeners
    // None of these throws: foreign listeners are wrapped, and the others reject a promise.
    for (const listener of typeof listeners === 'function' ? [listeners] : (listeners ?? [])) listener(reason)
    this.#listeners = undefined
  }
}

/** A task usually waits for one thing at a time. The set, as large as the whole token, is made for the second. */
type Listeners = CancelListener | Set<CancelListener> | undefined

function add(listeners: Listeners, listener: CancelListener): Listeners {
  if (listeners === undefined) return listener
  if (typeof listeners === 'function') return new Set([listeners, listener])
  return listeners.add(listener)
}

function remove(listeners: Listeners, listener: CancelListener): Listeners {
  if (listeners instanceof Set) listeners.delete(listener)
  return listeners === listener ? undefined : listeners
}
