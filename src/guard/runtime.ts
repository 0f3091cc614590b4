import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context, Outside, Store } from './context.ts'
import { defineGlobal, readGlobal } from './globals.ts'
import { LateErrors } from './late-errors.ts'
import { Unowned } from './unowned.ts'

/** What all guards of a process share, whichever copy of the package they come from. */
export interface Runtime {
  readonly storage: AsyncLocalStorage<Store>
  /**
   * How many contexts something may still run in. While it is 0 no hook does anything, and what asynchronous context
   * costs is not paid (GD4).
   */
  readonly contexts: number
  /** How many guards are not sealed. */
  guards: number
  readonly unowned: Unowned
  readonly lateErrors: LateErrors
  /** A number that no other context has. */
  nextId(): number
  /** A context is about to be used. It is counted until nothing can run in it any more. */
  enter(context: Store): void
}

/** A copy that changes what copies agree on takes another name: both then work, each with hooks of its own. */
const name = Symbol.for('endwell/guard@1')

/** The shared runtime, if the hooks are installed. */
export function findRuntime(): Runtime | undefined {
  return readGlobal(name) as Runtime | undefined
}

/** Puts the runtime where every copy of the package finds it. */
export function createRuntime(): Runtime {
  const runtime = new SharedRuntime()
  defineGlobal(name, runtime)
  return runtime
}

/** The guard that the running code belongs to. */
export function contextOf(runtime: Runtime): Context | undefined {
  if (runtime.contexts === 0) return undefined
  const store = runtime.storage.getStore()
  return store?.type === 'guard' ? store : undefined
}

/** For endwell's own work: no hook looks at it. */
export const internalContext: Outside = { type: 'outside' }

class SharedRuntime implements Runtime {
  readonly storage = new AsyncLocalStorage<Store>()
  contexts = 0
  guards = 0
  readonly unowned = new Unowned()
  readonly lateErrors = new LateErrors(this)
  #lastId = 0
  // A context is reachable from every promise, timer and socket that was made in it: when it is collected, none is left.
  readonly #gone = new FinalizationRegistry<undefined>(() => this.#left())

  nextId(): number {
    return ++this.#lastId
  }

  enter(context: Store): void {
    this.contexts++
    this.#gone.register(context, undefined)
  }

  #left(): void {
    if (--this.contexts > 0) return
    this.storage.disable()
    this.lateErrors.unhook()
  }
}
