import { attempt, callOut } from './edge.ts'
import { CancelledError, EndwellError, NotAResourceError } from './errors.ts'
import { noop } from './noop.ts'
import { Owned, type LateSink, type Owner } from './owned.ts'
import type { Problems } from './problems.ts'
import type { StepOutcome } from './report.ts'

/** Something that has to be ended: a connection, a worker, a file (SC6). */
export interface Resource {
  /** Ends it gracefully, as its protocol requires. Called at most once. `signal` aborts when its time is up. */
  close(signal: AbortSignal): void | PromiseLike<unknown>
  /** Ends it now. Synchronous, idempotent and lock-free; may be called before, during or after `close()`. */
  abort(): void
  /** Called synchronously when its scope begins to close, before anything is ended. */
  closing?(reason: CancelledError): void
  /** Its current state as plain JSON, for `scope.inspect()`. */
  inspect?(): object
}

/** How to end a thing that does not have `close(signal)` and `abort()` itself. */
export interface Endings<T> {
  close: (thing: T, signal: AbortSignal) => void | PromiseLike<unknown>
  abort: (thing: T) => void
  closing?: (thing: T, reason: CancelledError) => void
  inspect?: (thing: T) => object
}

/** Returns the thing as a resource, with its own methods or with `endings`. Throws if it has neither. */
export function asResource<T extends object>(
  name: string,
  thing: T,
  endings?: Partial<Endings<T>>,
): Resource {
  const { close, abort, closing, inspect } = endings ?? {}
  if (close && abort) {
    return {
      close: (signal) => close(thing, signal),
      abort: () => abort(thing),
      ...(closing ? { closing: (reason) => closing(thing, reason) } : {}),
      ...(inspect ? { inspect: () => inspect(thing) } : {}),
    }
  }
  const own = thing as Partial<Resource>
  if (typeof own?.close !== 'function' || typeof own.abort !== 'function') throw new NotAResourceError(name)
  return own as Resource
}

export class OwnedResource extends Owned {
  readonly kind = 'resource'
  /** Undefined once it has ended: a `close` that never settles must not keep it alive (SC9). */
  #resource: Resource | undefined
  /** The object it was registered with. */
  #thing: object | undefined
  readonly #cap: number | undefined
  #notified = false
  #beganAt: number | undefined
  #late: LateSink | undefined
  readonly #problems: Problems
  #onEnded: (() => void) | undefined

  constructor(
    ledger: Owner,
    name: string,
    phase: number,
    thing: object,
    resource: Resource,
    cap: number | undefined,
  ) {
    super(ledger, name, phase)
    this.#thing = thing
    this.#resource = resource
    this.#cap = cap
    this.#problems = ledger.problems
  }

  /** Also after it has left the ledger: its errors may come later than its end. */
  protected override get problems(): Problems {
    return this.#problems
  }

  /** What `inspect()` of the resource returns. Errors are dropped: watching must never change what is watched. */
  status(): object | undefined {
    let status: unknown
    attempt(
      () => this.#resource?.inspect?.(),
      (value) => (status = value),
      noop,
    )
    return typeof status === 'object' && status !== null ? status : undefined
  }

  override notifyClosing(reason: CancelledError): void {
    if (!this.ledger || this.#notified) return
    this.#notified = true
    this.#call('closing()', (resource) => resource.closing?.(reason))
  }

  /** Calls `close` once: in its phase, or earlier if the resource is ended alone. */
  override begin(): void {
    const { ledger } = this
    if (!ledger || this.#beganAt !== undefined) return
    this.#beganAt = ledger.clock.now()
    const close = ledger.intercepted('close', this.name, (signal: AbortSignal) =>
      this.#resource?.close(signal),
    )
    attempt(
      () => close(this.signal),
      () => this.#closed(),
      (error) => this.#failed(error),
    )
  }

  hold(share: number): number {
    return Math.min(this.#cap ?? share, share)
  }

  override holdExpired(): void {
    this.#cut('timed-out')
  }

  force(): void {
    this.#cut(this.#beganAt === undefined ? 'skipped' : 'timed-out')
  }

  /** Ends this resource now, while the scope stays open. Resolves when the resource has ended. */
  end(timeout: number): Promise<void> {
    const { ledger } = this
    if (!ledger) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = ledger.clock.after(timeout, `end of '${this.name}'`, () => this.#cut('timed-out'))
      const before = this.#onEnded
      const onEnded = (): void => {
        timer.clear()
        before?.()
        resolve()
      }
      this.#onEnded = onEnded
      this.notifyClosing(ledger.closing?.reason ?? new CancelledError(`'${this.name}' was ended`))
      this.begin()
    })
  }

  /** The resource has ended by itself: there is nothing left to close. */
  forget(): void {
    this.#out(this.leave(), 'done')
  }

  #closed(): void {
    const ledger = this.leave()
    if (!ledger) return this.#endLate('ended')
    this.#finish(ledger, 'done', false)
  }

  #failed(error: unknown): void {
    const ledger = this.leave()
    if (!ledger) return this.#endLate('failed', error)
    // A close that failed may have left half of the thing open.
    this.#abort()
    this.#finish(ledger, 'failed', true, error)
  }

  #cut(outcome: 'timed-out' | 'skipped'): void {
    const ledger = this.leave()
    if (!ledger) return
    this.#late = ledger.closing ? ledger.lateSink(this) : noop
    const reason = ledger.closing?.reason ?? new CancelledError(`'${this.name}' did not end in time`)
    this.cancelWith(reason)
    this.#abort()
    this.#finish(ledger, outcome, true)
  }

  #abort(): void {
    this.#call('abort', (resource) => resource.abort())
  }

  #call(what: string, method: (resource: Resource) => unknown): void {
    const resource = this.#resource
    if (resource) callOut(() => method(resource), this.#problem.bind(this, what))
  }

  #problem(what: string, error: unknown): void {
    this.problems.add(`${what} of '${this.name}'`, error)
  }

  #finish(ledger: Owner, outcome: StepOutcome, forced: boolean, error?: unknown): void {
    if (ledger.closing) ledger.closing.builder.addStep(this, outcome, this.#beganAt, forced, error)
    else if (outcome !== 'done') {
      const late = (): Error =>
        new EndwellError('TIMED_OUT', `'${this.name}' did not end in time and was aborted`)
      this.#problem('end', error ?? late())
    }
    this.#out(ledger, outcome)
  }

  #out(ledger: Owner | undefined, outcome: StepOutcome): void {
    this.#resource = undefined
    if (this.#thing) ledger?.forget(this.#thing)
    this.#thing = undefined
    ledger?.ended(this, outcome)
    this.#onEnded?.()
    this.#onEnded = undefined
  }

  #endLate(outcome: 'ended' | 'failed', error?: unknown): void {
    const late = this.#late
    this.#late = undefined
    late?.(outcome === 'failed' ? { outcome, error } : { outcome })
  }
}
