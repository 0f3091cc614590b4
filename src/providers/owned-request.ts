import { SignalStop, type Stop, CancelledError, type Resource, type Scope } from '../scope/index.ts'

/**
 * One request to a provider, such as an HTTP call or a speech. Its connection may be shared, through the process's HTTP
 * pool or a link, but the request itself belongs to a scope (SC17). `signal` aborts when the scope starts to close, when
 * the caller's signal aborts, and on `end()`, which the caller must always call.
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
  readonly #callerSignal: AbortSignal

  /** Throws the abort reason if `callerSignal` has aborted, and `ScopeClosedError` if the scope is closing. */
  constructor(name: string, scope: Scope<string>, callerSignal: AbortSignal) {
    callerSignal.throwIfAborted()
    this.scope = scope
    this.#name = name
    this.#stop = new SignalStop(this.signal, scope)
    this.#callerSignal = callerSignal
    scope.own(name, this)
    callerSignal.addEventListener('abort', this.#callerAborted, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Awaits a promise. Rejects as soon as the request is aborted, even if the promise ignores the signal. */
  get until(): Stop['until'] {
    return this.#stop.until
  }

  /** Releases the request, and aborts it if it is still running. */
  end(): void {
    this.#callerSignal.removeEventListener('abort', this.#callerAborted)
    this.abort()
    this.#stop.release()
    this.scope.forget(this)
  }

  /** Aborts at once: a closing scope needs nothing more from the request. */
  closing(reason: CancelledError): void {
    this.#controller.abort(reason)
  }

  close(): void {
    this.abort()
  }

  abort(): void {
    if (!this.signal.aborted) this.#controller.abort(new CancelledError(`${this.#name} has ended`))
  }

  readonly #callerAborted = (): void => this.#controller.abort(this.#callerSignal.reason)
}
