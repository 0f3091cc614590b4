import type { AsyncLocalStorage } from 'node:async_hooks'
import type { LateOrigin, Store } from './context.ts'

/** The asynchronous contexts of all guards, and how many are in use. */
interface Contexts {
  readonly storage: AsyncLocalStorage<Store>
  readonly contexts: number
}

/**
 * Keeps errors that nobody caught from ending the process, if they come from a guarded session that is closing or closed.
 *
 * A listener for `uncaughtException` would change how Node treats everybody's errors, by being there. So the question
 * that Node asks of its listeners, `process.emit('uncaughtException', …)`, is answered one step before them: with
 * `true`, handled, for an error of such a session. All others get to Node and to the user's own listeners as ever.
 */
export class LateErrors {
  readonly #contexts: Contexts
  #emit: typeof process.emit | undefined
  #before: PropertyDescriptor | undefined

  constructor(contexts: Contexts) {
    this.#contexts = contexts
  }

  /** From now on there may be late errors. */
  hook(): void {
    if (this.#emit && process.emit === this.#emit) return
    this.#before = Object.getOwnPropertyDescriptor(process, 'emit')
    const all = this.#contexts
    const original = Reflect.get(process, 'emit') as (...args: unknown[]) => boolean
    const hooked = function (this: NodeJS.Process, ...args: unknown[]): boolean {
      const [event, error] = args
      if (isOrigin(event) && all.contexts > 0) {
        const store = all.storage.getStore()
        if (store?.type === 'guard' && store.late(error, event)) return true
      }
      return Reflect.apply(original, this, args)
    }
    this.#emit = hooked as typeof process.emit
    process.emit = this.#emit
  }

  /** Nobody is left who could be late. If somebody has hooked on top of this, it stays, and lets everything pass. */
  unhook(): void {
    if (!this.#emit || process.emit !== this.#emit) return
    if (this.#before) Object.defineProperty(process, 'emit', this.#before)
    else Reflect.deleteProperty(process, 'emit')
    this.#emit = undefined
  }
}

function isOrigin(event: unknown): event is LateOrigin {
  return event === 'uncaughtException' || event === 'unhandledRejection'
}
