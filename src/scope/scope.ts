import { CancelToken } from './cancel.ts'
import { ChildScope } from './child-scope.ts'
import type { Clock, Timer } from './clock.ts'
import { Closing } from './closing.ts'
import { Deferred } from './deferred.ts'
import { describeError } from './describe-error.ts'
import { callOut } from './edge.ts'
import { LimitError, OptionError, ScopeClosedError } from './errors.ts'
import { LedgerInspection, type Inspection } from './inspect.ts'
import { Ledger } from './ledger.ts'
import type { Problems } from './problems.ts'
import { Registry, origin, type Live } from './registry.ts'
import type { ScopeReport } from './report.ts'
import { OwnedResource, asResource, type Endings, type Resource } from './resource.ts'
import { duration, settingsFrom, type DefaultPhase, type ScopeOptions } from './settings.ts'
import { Opening, Task, type TaskHandle } from './task.ts'
import type { CloseOptions, TaskContextOf } from './task-context.ts'
import { OwnedTimer } from './timer.ts'
import type { Change } from './watchers.ts'

/** What a task gets to work with. */
export type TaskContext = TaskContextOf<Scope<string>>

export interface SpawnOptions<Phase extends string> {
  /** Default: the first phase. */
  phase?: Phase
  /** How long a close waits before it cancels the task, at most until shortly before the deadline (SC13). Default: 0. */
  shield?: number
}

export interface OwnOptions<Phase extends string> {
  /** Default: the last phase. */
  phase?: Phase
  /**
   * How long its end may take, at most its phase's fair share of the time left. A resource is then aborted; deferred work
   * continues, but the later phases no longer wait for it. Default: the share.
   */
  cap?: number
}

export interface ChildOptions<
  Phase extends string,
  ChildPhase extends string,
> extends ScopeOptions<ChildPhase> {
  /** The parent's phase in which the child's own phases run. Default: the first. */
  phase?: Phase
}

/** The root scopes that have not closed. */
export const liveScopes = new Registry()

/**
 * Owns tasks, resources, timers and child scopes, and ends them: once, on time, leaving nothing behind, with a report.
 *
 * ```ts
 * await using scope = new Scope('import job', { closeTimeout: 5_000 })
 * const feed = await scope.open('feed', (signal) => connect(url, signal))
 * scope.spawn('poll', async ({ sleep }) => {
 *   for (;;) {
 *     feed.send('next')
 *     await sleep(1_000)
 *   }
 * })
 * ```
 */
export class Scope<Phase extends string = DefaultPhase> {
  readonly #ledger: Ledger
  readonly #token: CancelToken

  constructor(name: string, options?: ScopeOptions<Phase>)
  /** @internal */
  constructor(name: string, options: ScopeOptions<Phase> | undefined, parent: Ledger)
  constructor(name: string, options?: ScopeOptions<Phase>, parent?: Ledger) {
    this.#ledger = new Ledger(this, name, settingsFrom(options, parent?.settings), parent)
    this.#token = new ScopeToken(this.#ledger.problems)
    this.#ledger.onClosing = this.#token.cancelWith.bind(this.#token)
    if (!parent) {
      const entry: Live = { kind: 'scope', name, origin: origin() }
      liveScopes.add(entry)
      this.#ledger.onClosed = liveScopes.remove.bind(liveScopes, entry)
    }
  }

  get name(): string {
    return this.#ledger.name
  }

  get state(): 'live' | 'closing' | 'closed' {
    return this.#ledger.state
  }

  get clock(): Clock {
    return this.#ledger.clock
  }

  /** Aborts when the scope begins to close. */
  get signal(): AbortSignal {
    return this.#token.signal
  }

  // ── owning ──

  /** Starts a task. It runs synchronously up to its first await. */
  spawn<T>(
    name: string,
    work: (context: TaskContext) => T | PromiseLike<T>,
    options?: SpawnOptions<Phase>,
  ): TaskHandle<T> {
    const ledger = this.#ledger
    ledger.admit(`spawn '${name}'`)
    const task = new Task<T>(ledger, name, this.#phase(options?.phase, 'first'), options?.shield)
    ledger.add(task)
    return task.run(
      ledger.intercepted('task', name, work as (context: TaskContextOf<unknown>) => T | PromiseLike<T>),
    )
  }

  /**
   * Opens a resource that the scope then owns. If the scope begins to close meanwhile, the promise rejects with
   * `ScopeClosedError` at once, and the resource is aborted when the opener returns it (SC7).
   */
  open<R extends Resource>(
    name: string,
    opener: (signal: AbortSignal) => R | PromiseLike<R>,
    options?: OwnOptions<Phase>,
  ): Promise<R>
  open<T extends object>(
    name: string,
    opener: (signal: AbortSignal) => T | PromiseLike<T>,
    options: OwnOptions<Phase> & Endings<T>,
  ): Promise<T>
  open<T extends object>(
    name: string,
    opener: (signal: AbortSignal) => T | PromiseLike<T>,
    options: OwnOptions<Phase> & Partial<Endings<T>> = {},
  ): Promise<T> {
    const ledger = this.#ledger
    ledger.admit(`open '${name}'`)
    this.#cap(options)
    const open = ledger.intercepted('open', name, opener)
    const { problems } = ledger
    const task = new Opening<T>(ledger, name, this.#phase(options.phase, 'last'))
    ledger.add(task)
    // The closure reaches the scope only through its context, which is revoked if the opener never returns (SC9).
    return task.opening(async (context) => {
      const thing = await open(context.signal)
      const resource = asResource(name, thing, options)
      if (context.cancelled) {
        discard(name, resource, problems)
        throw context.signal.reason
      }
      try {
        ;(context.scope as Scope<Phase>).#own(name, thing, resource, options)
      } catch (error) {
        // The caller of open() never gets the resource and cannot end it.
        if (error instanceof LimitError) discard(name, resource, problems)
        throw error
      }
      return thing
    })
  }

  /** Takes ownership of a resource that is open already. */
  own<R extends Resource>(name: string, resource: R, options?: OwnOptions<Phase>): R
  own<T extends object>(name: string, thing: T, options: OwnOptions<Phase> & Endings<T>): T
  own<T extends object>(name: string, thing: T, options: OwnOptions<Phase> & Partial<Endings<T>> = {}): T {
    const resource = asResource(name, thing, options)
    if (this.#ledger.closing) {
      discard(name, resource, this.#ledger.problems)
      throw new ScopeClosedError(this.name, `own '${name}'`, this.#ledger.closing.reason)
    }
    this.#own(name, thing, resource, options)
    return thing
  }

  /** Ends one owned resource while the scope stays open, and aborts it after `closeTimeout`. Never rejects. */
  async end(thing: object, closeTimeout: number = this.#ledger.settings.closeTimeout): Promise<void> {
    const member = this.#ledger.handles?.get(thing)
    if (member instanceof OwnedResource) await member.end(duration('closeTimeout', closeTimeout))
  }

  /** Gives up ownership of a resource that has ended by itself. */
  forget(thing: object): void {
    const member = this.#ledger.handles?.get(thing)
    if (member instanceof OwnedResource) member.forget()
  }

  /** Registers work to run when the scope closes, in its phase. Returns a function that removes it. */
  defer(
    name: string,
    work: (signal: AbortSignal) => void | PromiseLike<unknown>,
    options: OwnOptions<Phase> = {},
  ): () => void {
    const ledger = this.#ledger
    ledger.admit(`defer '${name}'`)
    const deferred = new Deferred(ledger, name, this.#phase(options.phase, 'last'), work, this.#cap(options))
    ledger.add(deferred)
    return () => deferred.revoke()
  }

  /** Calls `callback` once, unless the scope begins to close first. */
  after(ms: number, name: string, callback: () => void): Timer {
    return this.#timer(ms, undefined, name, callback)
  }

  /** Calls `callback` every `ms` until the scope begins to close. */
  every(ms: number, name: string, callback: () => void): Timer {
    return this.#timer(ms, ms, name, callback)
  }

  /** Creates a scope that closes with this one at the latest. */
  child<ChildPhase extends string = DefaultPhase>(
    name: string,
    options?: ChildOptions<Phase, ChildPhase>,
  ): Scope<ChildPhase> {
    const ledger = this.#ledger
    ledger.admit(`open child scope '${name}'`)
    const scope = new Scope<ChildPhase>(name, options, ledger)
    const member = new ChildScope(ledger, scope.#ledger, this.#phase(options?.phase, 'first'))
    scope.#ledger.onClosed = member.closed.bind(member)
    ledger.add(member)
    return scope
  }

  // ── waiting ──

  /** Settles like the promise, or rejects with the reason as soon as the scope begins to close. Leaves nothing behind. */
  until<T>(promise: PromiseLike<T>): Promise<T> {
    return this.#token.until(promise)
  }

  // ── ending ──

  /** Ends everything gracefully, in bounded time. Never rejects. Every caller gets the same report. */
  close(options: CloseOptions = {}): Promise<ScopeReport> {
    const ledger = this.#ledger
    // Callers without types may pass null.
    const { reason = 'closed', by, closeTimeout } = options ?? {}
    // A close must not throw: a time that is not a finite number is ignored, and a reason can be any value.
    const request = {
      reason: textOf(reason),
      by: by === undefined ? undefined : textOf(by),
      closeTimeout: Number.isFinite(closeTimeout) ? Math.max(0, closeTimeout!) : undefined,
    }
    if (options.from instanceof Task) options.from.exemptFrom(ledger)
    if (ledger.closing) ledger.closing.requestAgain(request)
    else {
      const closing = Closing.begin(ledger, request)
      closing.notify()
      closing.cancel()
    }
    ledger.closing!.run()
    return ledger.closing!.report
  }

  /** Ends everything now. Synchronous; never throws; the report exists when it returns. */
  abort(reason = 'aborted'): void {
    const ledger = this.#ledger
    if (!ledger.closing) {
      const closing = Closing.begin(ledger, { reason: textOf(reason), closeTimeout: 0, aborted: true })
      closing.notify()
      closing.cancel()
    } else ledger.closing.requestAgain({ reason: textOf(reason) })
    ledger.closing!.force()
  }

  /** Resolves when deferred work that outlived the deadline has ended or run out of time as well. */
  get released(): Promise<void> {
    return this.#ledger.closing?.background.idle ?? Promise.resolve()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close({ reason: 'disposed' })
  }

  // ── inspecting ──

  /** Shows what the tree owns now. Calls `listener` for every change, until `stop()`. */
  inspect(listener?: (change: Change) => void): Inspection {
    return new LedgerInspection(this.#ledger, listener)
  }

  #own(name: string, thing: object, resource: Resource, options: OwnOptions<Phase>): void {
    const ledger = this.#ledger
    const handles = (ledger.handles ??= new Map())
    if (handles.has(thing)) throw new OptionError(`'${name}' is already owned by scope '${ledger.name}'`)
    ledger.admit(`own '${name}'`)
    const phase = this.#phase(options.phase, 'last')
    const member = new OwnedResource(ledger, name, phase, thing, resource, this.#cap(options))
    handles.set(thing, member)
    ledger.add(member)
  }

  #timer(ms: number, interval: number | undefined, name: string, callback: () => void): Timer {
    const ledger = this.#ledger
    ledger.admit(`schedule '${name}'`)
    const timer = new OwnedTimer(ledger, name, duration(name, ms), interval, callback)
    ledger.add(timer)
    return timer
  }

  /** @internal Records work that goes on although it was cancelled. Returns a function to call when it has ended. */
  leave(name: string): () => void {
    return this.#ledger.leave(name)
  }

  #cap(options: OwnOptions<Phase>): number | undefined {
    return options.cap === undefined ? undefined : duration('cap', options.cap)
  }

  #phase(phase: string | undefined, otherwise: 'first' | 'last'): number {
    const { phases } = this.#ledger.settings
    if (phase === undefined) return otherwise === 'first' ? 0 : phases.length - 1
    const index = phases.indexOf(phase)
    if (index >= 0) return index
    throw new OptionError(`scope '${this.name}' has no phase '${phase}'; it has ${phases.join(', ')}`)
  }
}

/** A reason as text. Callers without types pass errors and objects, too. */
function textOf(reason: unknown): string {
  return typeof reason === 'string' ? reason : describeError(reason).message
}

/** Ends a resource that came too late to be owned (SC7). */
function discard(name: string, resource: Resource, problems: Problems): void {
  callOut(
    () => resource.abort(),
    (error) => problems.add(`abort of '${name}'`, error),
  )
}

/** The token behind `scope.signal`. */
class ScopeToken extends CancelToken {
  readonly #problems: Problems

  constructor(problems: Problems) {
    super()
    this.#problems = problems
  }

  protected override errorSink(): (error: unknown) => void {
    const problems = this.#problems
    return (error) => problems.add('listener of the closing scope', error)
  }
}
