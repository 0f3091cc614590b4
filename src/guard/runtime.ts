import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context, Outside, Store } from './context.ts'
import { defineGlobal, readGlobal } from './globals.ts'
import { LateErrors } from './late-errors.ts'
import { Unowned } from './unowned.ts'

/** What all guards of a process share, even if they come from different copies of the package. */
export interface Runtime {
  readonly storage: AsyncLocalStorage<Store>
  /**
   * How many contexts are still in use. While it is 0, the hooks do nothing and `AsyncLocalStorage` is off, so that
   * nothing is slowed down (GD4).
   */
  readonly contexts: number
  /** How many guards are not sealed yet. */
  guards: number
  readonly unowned: Unowned
  readonly lateErrors: LateErrors
  /** Returns a number that is unique in the process. */
  nextId(): number
  /** Counts a context that is about to be used, until nothing can run in it any more. */
  enter(context: Store): void
}

/** The version changes with the shared interfaces. Copies of different versions work side by side, each with its hooks. */
const name = Symbol.for('endwell/guard@1')

/** Returns the shared runtime, or undefined if the hooks are not installed. */
export function findRuntime(): Runtime | undefined {
  return readGlobal(name) as Runtime | undefined
}

/** Creates the runtime where every copy of the package finds it. */
export function createRuntime(): Runtime {
  const runtime = new SharedRuntime()
  defineGlobal(name, runtime)
  return runtime
}

/** Returns the context of the guard that the running code belongs to. */
export function contextOf(runtime: Runtime): Context | undefined {
  if (runtime.contexts === 0) return undefined
  const store = runtime.storage.getStore()
  return store?.type === 'guard' ? store : undefined
}

/** The context of endwell's own work, which the hooks ignore. */
export const internalContext: Outside = { type: 'outside' }

class SharedRuntime implements Runtime {
  readonly storage = new AsyncLocalStorage<Store>()
  contexts = 0
  guards = 0
  readonly unowned = new Unowned()
  readonly lateErrors = new LateErrors(this)
  #lastId = 0
  // A context is reachable from every promise, timer and socket created in it. Once it is collected, none is left.
  readonly #collected = new FinalizationRegistry<undefined>(() => this.#leave())

  nextId(): number {
    return ++this.#lastId
  }

  enter(context: Store): void {
    this.contexts++
    this.#collected.register(context, undefined)
  }

  #leave(): void {
    if (--this.contexts > 0) return
    this.storage.disable()
    this.lateErrors.unhook()
  }
}
