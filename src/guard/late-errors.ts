import type { AsyncLocalStorage } from 'node:async_hooks'
import type { LateOrigin, Store } from './context.ts'

/** The contexts of all guards, and how many are in use. */
interface Contexts {
  readonly storage: AsyncLocalStorage<Store>
  readonly contexts: number
}

/**
 * Keeps uncaught errors of guarded sessions that are closing or closed from ending the process.
 *
 * The mere presence of an `uncaughtException` listener would change how Node treats all errors. So this hooks
 * `process.emit('uncaughtException', …)` instead and returns `true`, handled, for errors of such sessions only. All other
 * errors reach Node and the user's own listeners as before.
 */
export class LateErrors {
  readonly #contexts: Contexts
  #emit: typeof process.emit | undefined
  #before: PropertyDescriptor | undefined

  constructor(contexts: Contexts) {
    this.#contexts = contexts
  }

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

  /** Removes the hook, once no session is left. If other code has since wrapped it, it stays and does nothing. */
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
