import { SignalStop, type Stop, CancelledError, type Resource, type Scope } from '../scope/index.ts'

/**
 * One thing that is asked of a provider: an answer over HTTP, a speech. Connections may be shared, by the process's pool
 * or by a link; what is asked belongs to a scope (SC17). Its signal aborts when the scope begins to close, when the
 * asker's signal aborts, and at `end()`, which the asker owes it.
 *
 * ```ts
 * const request = new OwnedRequest(`request to '${name}'`, context.scope, signal)
 * try {
 *   const response = await request.until(fetch(url, { signal: request.signal }))
 *   …
 * } finally {
 *   request.end()
 * }
 * ```
 */
export class OwnedRequest implements Resource, Stop {
  readonly scope: Scope<string>
  readonly #name: string
  readonly #controller = new AbortController()
  readonly #stop: SignalStop
  readonly #asker: AbortSignal

  /** Throws the asker's reason if it has aborted, and `ScopeClosedError` if the scope is closing. */
  constructor(name: string, scope: Scope<string>, asker: AbortSignal) {
    asker.throwIfAborted()
    this.scope = scope
    this.#name = name
    this.#stop = new SignalStop(this.signal, scope)
    this.#asker = asker
    scope.own(name, this)
    asker.addEventListener('abort', this.#left, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** What the promise becomes; throws as soon as the request is aborted, whether anybody heeds the signal or not. */
  get until(): Stop['until'] {
    return this.#stop.until
  }

  /** Nobody waits for more: what is still under way is aborted. */
  end(): void {
    this.#asker.removeEventListener('abort', this.#left)
    this.abort()
    this.#stop.release()
    this.scope.forget(this)
  }

  /** There is no last word to wait for: it ends before anything else does. */
  closing(reason: CancelledError): void {
    this.#controller.abort(reason)
  }

  close(): void {
    this.abort()
  }

  abort(): void {
    if (!this.signal.aborted) this.#controller.abort(new CancelledError(`${this.#name} is over`))
  }

  readonly #left = (): void => this.#controller.abort(this.#asker.reason)
}
