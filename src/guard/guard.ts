import { AsyncResource } from 'node:async_hooks'
import {
  duration,
  CancelToken,
  CancelledError,
  Scope,
  noop,
  systemClock,
  checkOptions,
  type CloseOptions,
  type Late,
  type ScopeOptions,
  type Timer,
  type OptionNames,
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
  /** The name of the session in reports and errors. Default: `guarded session`. */
  name?: string
  /** The time limit from the request to close to the report, in milliseconds. Default: 5 s. */
  closeTimeout?: number
  /**
   * How long connections and processes may take to end after the session's own close. Default: 1 s, and at most a third
   * of the time for closing.
   */
  linger?: number
  /** Closes the session. Called once, in the session's context. `signal` aborts when its time is up. */
  close?: (signal: AbortSignal) => unknown
  /** Refuses new connections as soon as closing begins. Default: false, which refuses them once it is closed. */
  noNewConnects?: boolean
  /** Returns true for unowned connections that are known not to be the session's, such as those to a database. */
  ignore?: (to: string) => boolean
  /** Called for each uncaught error after closing began, and for each outcome after the report. */
  onLate?: (late: Late) => void
}

/** The options that guards of known frameworks pass on. Their `close` is the framework's. */
export const passedNames: OptionNames<Omit<GuardOptions, 'close'>> = {
  name: true,
  closeTimeout: true,
  linger: true,
  noNewConnects: true,
  ignore: true,
  onLate: true,
}

const guardNames: OptionNames<GuardOptions> = { ...passedNames, close: true }

/** The scopes of guards that are not sealed. A guard created inside another one becomes its child. */
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

/** Runs work that belongs to no guard, such as opening a pool or a client that all sessions share. */
export function outside<T>(work: () => T): T {
  const runtime = findRuntime()
  if (!runtime) return work()
  const context: Outside = { type: 'outside' }
  runtime.enter(context)
  return runtime.storage.run(context, work)
}

/** The guard of one session of another framework. Created by `guard()`. */
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
  #lingerTimer: Timer | undefined
  #resolve: (report: GuardReport) => void = noop

  constructor(options: GuardOptions) {
    checkOptions('guard', options, guardNames)
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
      (reason) => this.#beginClosing(reason),
    )
    // The session's own close gets all the time except the linger and the reserve.
    const budget = closeTimeout - reserve
    this.#linger = Math.min(duration('linger', linger), budget / 3)
    this.#foreign = new ForeignClose(
      options.close,
      (work) => this.run(work),
      () => this.#ownCloseEnded(),
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

  /** How many attempts of the session to open something have been refused so far. */
  get refused(): number {
    return this.#context.refused
  }

  /** Everything the session owns now. */
  get tree(): ReturnType<Scope['inspect']>['tree'] {
    return this.#scope.inspect().tree
  }

  // ── entering the session's context ──

  /** Runs work of the session. The guard owns everything that the work, or anything it sets off, opens. */
  run<T>(work: () => T): T {
    return this.#runtime.storage.run(this.#context, work)
  }

  /** Returns a function that runs `work` in the session's context, wherever it is called. */
  bind<Args extends unknown[], Result>(work: (...args: Args) => Result): (...args: Args) => Result {
    const { storage } = this.#runtime
    const context = this.#context
    return function (this: unknown, ...args: Args): Result {
      return storage.run(context, () => Reflect.apply(work, this, args))
    }
  }

  /**
   * Returns a proxy of `thing` whose methods and accessors run in the session's context. Listeners run in the context
   * in which they were added.
   */
  wrap<T extends object>(thing: T): T {
    return wrapIn(this, thing)
  }

  /** Iterates in the session's context. The iteration ends when the session is closed, at the latest. */
  iterate<T>(source: AsyncIterable<T>): AsyncIterableIterator<T> {
    return iterateIn(this, this.#sealed, source)
  }

  /** Owns something that was opened elsewhere. After the session's own close it is asked to end, and then cut off. */
  adopt<T extends Adoptable>(thing: T): T {
    const opened = asOpened(thing)
    if (this.state !== 'live') {
      this.run(() => opened.abort())
      throw new GuardClosedError(this.name, `adopt a ${opened.name}`)
    }
    this.#resources.add(opened)
    return thing
  }

  /** Runs work that does not belong to the session, from within its context. */
  outside<T>(work: () => T): T {
    return outside(work)
  }

  // ── closing ──

  /** Calls `listener` once, when the session is closed. Returns an unsubscribe function. */
  on(_event: 'closed', listener: (report: GuardReport) => void): () => void {
    const own = AsyncResource.bind(listener)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /** Closes the session in bounded time. Never rejects. All callers get the same report. */
  close(options: Omit<CloseOptions, 'from'> = {}): Promise<GuardReport> {
    this.#internally(() => this.#scope.close(options)).catch(noop)
    return this.#closed
  }

  /** Ends the session now. Everything it opened has been cut off when this returns. */
  abort(reason?: string): void {
    this.#internally(() => this.#scope.abort(reason))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close({ reason: 'disposed' })
  }

  /** Runs synchronously, before the scope waits for anything. */
  #beginClosing(reason: CancelledError): void {
    this.#context.beginClosing()
    this.#runtime.lateErrors.hook()
    const inspection = this.#scope.inspect(({ type, id }) => {
      if (type !== 'closed' || id !== scopeId) return
      inspection.stop()
      this.#seal()
    })
    const scopeId = inspection.tree.id
    this.run(() => this.#controller.abort(reason))
    if (this.#foreign.outcome === 'none') this.#ownCloseEnded()
  }

  /** The session's own close has succeeded, failed or timed out. What it opened has some time to end by itself. */
  #ownCloseEnded(): void {
    if (this.state === 'closed' || this.#lingerTimer) return
    this.#lingerTimer = this.#internally(() =>
      systemClock.after(this.#linger, `linger of '${this.name}'`, () => this.#resources.cut()),
    )
    this.run(() => this.#pools.release())
    this.#resources.release()
  }

  /** Runs synchronously at the end of the scope's close. Nothing can be opened from here on. */
  #seal(): void {
    this.#lingerTimer?.clear()
    this.#resources.abort()
    this.run(() => this.#pools.destroy(new GuardClosedError(this.name, 'send a request')))
    const findings = this.#findings()
    this.#context.seal()
    this.#runtime.guards--
    scopes.delete(this.#context)
    this.#sealed.cancelWith(new CancelledError(`guarded session '${this.name}' is closed`))
    this.#internally(() => this.#scope.close())
      .then((report) => this.#emitClosed(writeReport(report, findings)))
      .catch(noop)
  }

  #findings(): Findings {
    const { unowned } = this.#runtime
    const now = systemClock.now()
    return {
      foreign: this.#foreign.outcome,
      severed: this.#resources.severed,
      severedTotal: this.#resources.severedTotal,
      hadLatecomers: this.#resources.hadLatecomers,
      refused: this.#context.refused,
      unowned: unowned
        .since(this.#since)
        .filter(({ to }) => !this.#ignores(to))
        .map(({ to, at }) => ({ to, age: Math.round(now - at) })),
      unownedOmitted: unowned.omitted - this.#unownedOmittedBefore,
      timers: this.#timers.end(),
      late: this.#context.lateErrors,
      lateTotal: this.#context.lateTotal,
    }
  }

  #emitClosed(report: GuardReport): void {
    this.#resolve(report)
    for (const listener of this.#listeners) {
      try {
        listener(report)
      } catch (error) {
        // An error in the user's own code: rethrow it, so that Node handles it like any other.
        queueMicrotask(() => {
          throw error
        })
      }
    }
    this.#listeners.clear()
  }

  #ignores(to: string): boolean {
    try {
      return this.#ignore(to)
    } catch {
      return false
    }
  }

  /** Runs endwell's own work, which the hooks ignore. */
  #internally<T>(work: () => T): T {
    return this.#runtime.storage.run(internalContext, work)
  }
}

/** Creates the scope of a guard. A guard created inside another one is closed with it. */
function scopeIn(outer: Context | undefined, name: string, options: ScopeOptions<'close'>): Scope<'close'> {
  // The guard of another copy of the package has no scope that this copy knows.
  if (!(outer instanceof GuardContext)) return new Scope(name, options)
  const parent = scopes.get(outer)
  if (!parent) throw new GuardClosedError(outer.name, `create guard '${name}'`)
  return parent.child(name, options)
}
