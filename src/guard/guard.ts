import { AsyncResource } from 'node:async_hooks'
import {
  duration,
  CancelToken,
  CancelledError,
  Scope,
  noop,
  systemClock,
  type CloseOptions,
  type Late,
  type ScopeOptions,
  type Timer,
} from '../scope/index.ts'
import { asOpened, type Adoptable } from './adopt.ts'
import type { Context, Outside } from './context.ts'
import { GuardClosedError, GuardNotInstalledError } from './errors.ts'
import { ForeignClose } from './foreign-close.ts'
import { contextOf, internalContext, findRuntime, type Runtime } from './runtime.ts'
import { GuardContext } from './guard-context.ts'
import { OpenResources } from './open-resources.ts'
import { iterateIn } from './iterate-in.ts'
import { patchFetch } from './patch-fetch.ts'
import { Pools } from './pools.ts'
import type { GuardReport } from './report.ts'
import { Timers } from './timers.ts'
import { wrapIn } from './wrap-in.ts'
import { writeReport, type Findings } from './write-report.ts'

export interface GuardOptions {
  /** What the session is called in reports and errors: `guarded session` unless set. */
  name?: string
  /** From the ask to the report, in milliseconds: 5 s unless set. */
  closeTimeout?: number
  /** How long what the session opened may take to go after the session's own close: 1 s, a third of the time at most. */
  linger?: number
  /** Ends the session in its own way. Called once, in the session's context; `signal` aborts when its time is over. */
  close?: (signal: AbortSignal) => unknown
  /** Refuses new connections from the first moment of closing, and not only after it. */
  noNewConnects?: boolean
  /** Connections that are known not to be the session's, though opened outside of every guard: a database, say. */
  ignore?: (to: string) => boolean
  /** Called for each error and each outcome that comes after closing began, or after the report. */
  onLate?: (late: Late) => void
}

/** The scopes of guards that are not sealed: a guard that is made inside another one finds it here. */
const scopes = new WeakMap<GuardContext, Scope<'close'>>()

/**
 * Gives a session of another framework a bounded close, one event, a truthful report, and no socket left (GD1, GD2).
 *
 * ```ts
 * import 'endwell/guard/install'
 *
 * const call = guard({ name: 'call 42', closeTimeout: 3_000, close: () => session.close() })
 * const session = call.wrap(await call.run(startSession))
 * const report = await call.close()
 * ```
 */
export function guard(options: GuardOptions = {}): Guard {
  return new Guard(options)
}

/** Runs work that belongs to no guard: a pool or a client that all sessions share. */
export function outside<T>(work: () => T): T {
  const runtime = findRuntime()
  if (!runtime) return work()
  const context: Outside = { type: 'outside' }
  runtime.enter(context)
  return runtime.storage.run(context, work)
}

/** A session of another framework, seen from outside. Made by `guard()`. */
export class Guard {
  readonly #runtime: Runtime
  readonly #scope: Scope<'close'>
  readonly #context: GuardContext
  readonly #resources: OpenResources
  readonly #timers = new Timers()
  readonly #pools: Pools
  readonly #foreign: ForeignClose
  readonly #controller = new AbortController()
  readonly #sealed = new CancelToken()
  readonly #listeners = new Set<(report: GuardReport) => void>()
  readonly #ignore: (to: string) => boolean
  readonly #linger: number
  readonly #since = systemClock.now()
  readonly #unownedOmittedBefore: number
  readonly #closed: Promise<GuardReport>
  #lingering: Timer | undefined
  #resolve: (report: GuardReport) => void = noop

  constructor(options: GuardOptions) {
    const runtime = findRuntime()
    if (!runtime) throw new GuardNotInstalledError()
    const {
      name = 'guarded session',
      closeTimeout = 5_000,
      linger = 1_000,
      noNewConnects = false,
      onLate,
    } = options
    this.#runtime = runtime
    this.#unownedOmittedBefore = runtime.unowned.omitted
    this.#ignore = options.ignore ?? (() => false)
    const reserve = Math.min(250, closeTimeout / 10)
    this.#scope = scopeIn(contextOf(runtime), name, {
      phases: ['close'],
      closeTimeout,
      reserve,
      ...(onLate ? { onLate } : {}),
    })
    this.#closed = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.#context = new GuardContext(runtime.nextId(), { name, noNewConnects, onLate })
    this.#pools = new Pools(this.#context.id)
    this.#resources = new OpenResources(
      this.#scope,
      (work) => this.run(work),
      (reason) => this.#closing(reason),
    )
    // The session's own close has all the time there is, but for the linger and the reserve.
    const budget = closeTimeout - reserve
    this.#linger = Math.min(duration('linger', linger), budget / 3)
    this.#foreign = new ForeignClose(
      options.close,
      (work) => this.run(work),
      () => this.#settled(),
    )
    if (options.close) this.#scope.own('close', this.#foreign, { cap: budget - this.#linger })
    this.#context.own({ resources: this.#resources, timers: this.#timers, pools: this.#pools })
    patchFetch(runtime)
    runtime.enter(this.#context)
    runtime.guards++
    scopes.set(this.#context, this.#scope)
  }

  get name(): string {
    return this.#scope.name
  }

  get state(): 'live' | 'closing' | 'closed' {
    return this.#scope.state
  }

  /** Aborts when closing begins. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** How often something of the session was refused, until now. */
  get refused(): number {
    return this.#context.refused
  }

  /** What it owns, as it is now. */
  get tree(): ReturnType<Scope['inspect']>['tree'] {
    return this.#scope.inspect().tree
  }

  // ── ways in ──

  /** Runs work of the session. Everything it opens, now or in whatever follows from it, is owned. */
  run<T>(work: () => T): T {
    return this.#runtime.storage.run(this.#context, work)
  }

  /** A function that runs in the session's context, whoever calls it. */
  bind<Args extends unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result {
    const { storage } = this.#runtime
    const context = this.#context
    return function (this: unknown, ...args: Args): Result {
      return storage.run(context, () => Reflect.apply(work, this, args))
    }
  }

  /** The same object, whose methods and accessors run in the session's context. Listeners stay in their caller's. */
  wrap<T extends object>(thing: T): T {
    return wrapIn(this, thing)
  }

  /** Goes through an iterator of the session's in its context. It ends when the session is closed, at the latest. */
  iterate<T>(source: AsyncIterable<T>): AsyncIterableIterator<T> {
    return iterateIn(this, this.#sealed, source)
  }

  /** Takes over something that was opened elsewhere: it is asked to go after the session's own close, then cut off. */
  adopt<T extends Adoptable>(thing: T): T {
    const opened = asOpened(thing)
    if (this.state !== 'live') {
      this.run(() => opened.abort())
      throw new GuardClosedError(this.name, `adopt a ${opened.name}`)
    }
    this.#resources.add(opened)
    return thing
  }

  /** Runs work that is not the session's, from within it. */
  outside<T>(work: () => T): T {
    return outside(work)
  }

  // ── ending ──

  /** Calls back once, when the session is closed. Returns the way to call it off. */
  on(_event: 'closed', listener: (report: GuardReport) => void): () => void {
    const own = AsyncResource.bind(listener)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /** Ends the session in bounded time. Never rejects, never hangs; everybody who asks gets the same report. */
  close(options: Omit<CloseOptions, 'from'> = {}): Promise<GuardReport> {
    this.#apart(() => this.#scope.close(options)).catch(noop)
    return this.#closed
  }

  /** Ends the session now: what it opened is cut off when this returns. */
  abort(reason?: string): void {
    this.#apart(() => this.#scope.abort(reason))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close({ reason: 'disposed' })
  }

  /** Synchronous, before anything is waited for: from here on the session is closing. */
  #closing(reason: CancelledError): void {
    this.#context.closing()
    this.#runtime.lateErrors.hook()
    const inspection = this.#scope.inspect(({ type, id }) => {
      if (type !== 'closed' || id !== scopeId) return
      inspection.stop()
      this.#seal()
    })
    const scopeId = inspection.tree.id
    this.run(() => this.#controller.abort(reason))
    if (this.#foreign.outcome === 'none') this.#settled()
  }

  /** The session's own close is over, well or not: what it opened may go by itself for a while. */
  #settled(): void {
    if (this.state === 'closed' || this.#lingering) return
    this.#lingering = this.#apart(() =>
      systemClock.after(this.#linger, `linger of '${this.name}'`, () => this.#resources.cut()),
    )
    this.run(() => this.#pools.release())
    this.#resources.release()
  }

  /** From here on nothing opens. Synchronous, as the last act of the scope's close. */
  #seal(): void {
    this.#lingering?.clear()
    this.#resources.abort()
    this.run(() => this.#pools.destroy(new GuardClosedError(this.name, 'send a request')))
    const findings = this.#findings()
    this.#context.seal()
    this.#runtime.guards--
    scopes.delete(this.#context)
    this.#sealed.cancelWith(new CancelledError(`guarded session '${this.name}' is closed`))
    this.#apart(() => this.#scope.close())
      .then((report) => this.#over(writeReport(report, findings)))
      .catch(noop)
  }

  #findings(): Findings {
    const { unowned } = this.#runtime
    const now = systemClock.now()
    return {
      foreign: this.#foreign.outcome,
      severed: this.#resources.severed,
      severedInAll: this.#resources.severedInAll,
      hadLatecomers: this.#resources.hadLatecomers,
      refused: this.#context.refused,
      unowned: unowned
        .since(this.#since)
        .filter(({ to }) => !this.#ignores(to))
        .map(({ to, at }) => ({ to, age: Math.round(now - at) })),
      unownedOmitted: unowned.omitted - this.#unownedOmittedBefore,
      timers: this.#timers.end(),
      late: this.#context.lateErrors,
      lateInAll: this.#context.lateInAll,
    }
  }

  #over(report: GuardReport): void {
    this.#resolve(report)
    for (const listener of this.#listeners) {
      try {
        listener(report)
      } catch (error) {
        // It is the user's own, and nobody else's: Node treats it as it treats any error.
        queueMicrotask(() => {
          throw error
        })
      }
    }
    this.#listeners.clear()
  }

  /** A filter that throws has filtered nothing. */
  #ignores(to: string): boolean {
    try {
      return this.#ignore(to)
    } catch {
      return false
    }
  }

  /** endwell's own work: none of the hooks looks at it. */
  #apart<T>(work: () => T): T {
    return this.#runtime.storage.run(internalContext, work)
  }
}

/** A guard that is made inside another one ends with it at the latest. */
function scopeIn(outer: Context | undefined, name: string, options: ScopeOptions<'close'>): Scope<'close'> {
  // One of another copy of the package is nothing to this one: there is no scope that both know.
  if (!(outer instanceof GuardContext)) return new Scope(name, options)
  const parent = scopes.get(outer)
  if (!parent) throw new GuardClosedError('the one around it', `guard '${name}'`)
  return parent.child(name, options)
}
