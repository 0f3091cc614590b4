import type { DispatchHandler, Dispatcher } from './context.ts'
import { readGlobal, writeGlobals } from './globals.ts'
import { contextOf, internalContext, type Runtime } from './runtime.ts'
import { ownRequest, refuseRequest } from './owned-request.ts'

/** Where undici keeps the global dispatcher: the copy in Node, and those installed from npm. */
const keys = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')]

const isByContext = Symbol.for('endwell/guard/dispatcher')

/**
 * Gives each guard its own pool for `fetch`, by replacing undici's global dispatcher. Repeated for each guard, because
 * the user may have set another dispatcher meanwhile.
 */
export function patchFetch(runtime: Runtime): void {
  // Node loads undici on first use, and the global dispatcher does not exist before that.
  if (typeof Headers === 'function') Reflect.construct(Headers, [])
  for (const key of keys) {
    const shared = readGlobal(key) as Dispatcher | undefined
    if (shared === undefined || Reflect.get(shared, isByContext) === true) continue
    writeGlobals({ [key]: byContext(runtime, shared) })
  }
}

/** Wraps the shared dispatcher, so that requests of a guard go to the guard's own pool. */
function byContext(runtime: Runtime, shared: Dispatcher): Dispatcher {
  const dispatch = (options: object, handler: DispatchHandler): boolean => {
    const context = contextOf(runtime)
    if (!context) return shared.dispatch(options, handler)
    const own = context.dispatcher(shared)
    if (own) return own.dispatch(options, handler)
    // A dispatcher that the user has set: its connections belong to the process, and only the request to the guard.
    const refusal = context.refuse('send a request')
    if (refusal) return refuseRequest(handler, refusal)
    const owned = ownRequest(context, handler)
    return runtime.storage.run(internalContext, () => shared.dispatch(options, owned))
  }
  return new Proxy(shared, {
    get(target, name) {
      if (name === isByContext) return true
      if (name === 'dispatch') return dispatch
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' && name !== 'constructor' ? value.bind(target) : value
    },
  })
}
