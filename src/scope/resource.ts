import { attempt, callOut } from './edge.ts'
import { CancelledError, EndwellError, NotAResourceError } from './errors.ts'
import type { Ledger, LateSink } from './ledger.ts'
import { noop } from './noop.ts'
import { Owned } from './owned.ts'
import type { StepOutcome } from './report.ts'

/** Something that has to be ended: a connection, a worker, a file (SC6). */
export interface Resource {
  /** Ends it as its protocol wants. Called once at most. `signal` aborts when its time is over. */
  close(signal: AbortSignal): void | PromiseLike<unknown>
  /** Ends it now: synchronous, idempotent, without a lock; before, during or after `close()`. */
  abort(): void
  /** Its scope has begun to close. Synchronous; nothing has been ended yet. */
  closing?(reason: CancelledError): void
  /** How it is right now, for people, as plain JSON: shown by `inspect()`. */
  inspect?(): object
}

/** How to end something that has other words for it than `close(signal)` and `abort()`. */
export interface Endings<T> {
  close: (thing: T, signal: AbortSignal) => void | PromiseLike<unknown>
  abort: (thing: T) => void
  closing?: (thing: T, reason: CancelledError) => void
  inspect?: (thing: T) => object
}

/** The thing as a resource, by its own methods or by the endings given for it. */
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
  /** Gone once it has ended: a `close` that never settles must not keep it (SC9). */
  #resource: Resource | undefined
  /** What the owner knows it by. */
  #thing: object | undefined
  readonly #cap: number | undefined
  #told = false
  #beganAt: number | undefined
  #late: LateSink | undefined
  #whenEnded: (() => void) | undefined

  constructor(
    ledger: Ledger,
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
  }

  /** What the resource says about itself; nothing if it throws. Watching must never change what is watched. */
  status(): object | undefined {
    let status: unknown
    attempt(
      () => this.#resource?.inspect?.(),
      (value) => (status = value),
      noop,
    )
    return typeof status === 'object' && status !== null ? status : undefined
  }

  override tell(reason: CancelledError): void {
    if (!this.ledger || this.#told) return
    this.#told = true
    this.#call('closing()', (resource) => resource.closing?.(reason))
  }

  /** Calls `close`, once: in its phase, or earlier if somebody ends it alone. */
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

  override holdOver(): void {
    this.#cut('timed-out')
  }

  force(): void {
    this.#cut(this.#beganAt === undefined ? 'skipped' : 'timed-out')
  }

  /** Ends this one now, while the scope goes on. Resolves when it is over. */
  end(within: number): Promise<void> {
    const { ledger } = this
    if (!ledger) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = ledger.clock.after(within, `end of '${this.name}'`, () => this.#cut('timed-out'))
      const before = this.#whenEnded
      this.#whenEnded = () => {
        timer.clear()
        before?.()
        resolve()
      }
      this.tell(ledger.closing?.reason ?? new CancelledError(`'${this.name}' was ended`))
      this.begin()
    })
  }

  /** It has ended by itself: there is nothing left to close. */
  forget(): void {
    this.#out(this.leave(), 'done')
  }

  #closed(): void {
    const ledger = this.leave()
    if (!ledger) return this.#tooLate('ended')
    this.#finish(ledger, 'done', false)
  }

  #failed(error: unknown): void {
    const ledger = this.leave()
    if (!ledger) return this.#tooLate('failed', error)
    // A close that threw may have left half of the thing open.
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

  #finish(ledger: Ledger, outcome: StepOutcome, forced: boolean, error?: unknown): void {
    if (ledger.closing) ledger.closing.recordStep(this, outcome, this.#beganAt, forced, error)
    else if (outcome !== 'done') {
      const late = (): Error =>
        new EndwellError('TIMED_OUT', `'${this.name}' did not end in time and was aborted`)
      this.#problem('end', error ?? late())
    }
    this.#out(ledger, outcome)
  }

  #out(ledger: Ledger | undefined, outcome: string): void {
    this.#resource = undefined
    ledger?.handles?.delete(this.#thing!)
    this.#thing = undefined
    ledger?.ended(this, outcome)
    this.#whenEnded?.()
    this.#whenEnded = undefined
  }

  #tooLate(outcome: 'ended' | 'failed', error?: unknown): void {
    const late = this.#late
    this.#late = undefined
    late?.(outcome === 'failed' ? { outcome, error } : { outcome })
  }
}
