import { callOut, observe } from './edge.ts'
import { CancelledError } from './errors.ts'
import { guardSignal } from './guarded-signal.ts'
import { noop } from './noop.ts'

export type CancelListener = (reason: CancelledError) => void

/**
 * A request to stop, seen from the side of the work: it is made once, with one reason, and never taken back.
 *
 * Listeners are plain callbacks with O(1) removal. The `AbortSignal` is built only when somebody asks for it, because
 * it costs more than all the rest of a task.
 */
export class CancelToken {
  #reason: CancelledError | undefined
  #listeners: Listeners
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
      guardSignal(this.#controller.signal, () => this.errorSink())
      if (this.#reason) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  // The next two are getters so that each can be taken out of a task's context and called alone.

  /** Calls `listener` when the token is cancelled, at once if it is already. Returns the way to unsubscribe. */
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
   * What `promise` becomes, unless the token is cancelled first: then the reason is thrown at once. It leaves nothing
   * behind on the token, so it can stand in a loop that runs for hours.
   */
  get until(): <T>(promise: PromiseLike<T>) => Promise<T> {
    return (promise) => {
      if (this.#reason) {
        observe(promise, noop, noop)
        return Promise.reject(this.#reason)
      }
      return new Promise((resolve, reject) => {
        // `reject` is its own listener: the cheapest subscription there is, and this stands in every audio loop.
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
  }

  throwIfCancelled(): void {
    if (this.#reason) throw this.#reason
  }

  /**
   * Returns where the errors go that a listener called now may throw or reject with. Dropped, unless overridden.
   * @internal
   */
  protected errorSink(): (error: unknown) => void {
    return noop
  }

  /**
   * Makes the request. Every listener is called, whatever the others do.
   * @internal
   */
  cancelWith(reason: CancelledError): void {
    if (this.#reason) return
    this.#reason = reason
    this.#controller?.abort(reason)
    // They stay where they are meanwhile, so that a listener can still take back one that comes after it.
    const listeners = this.#listeners
    // None of these throws: foreign listeners are wrapped, and the others reject a promise.
    for (const listener of typeof listeners === 'function' ? [listeners] : (listeners ?? [])) listener(reason)
    this.#listeners = undefined
  }
}

/** A task mostly waits for one thing at a time: the set, as heavy as the whole token, is made for the second. */
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
