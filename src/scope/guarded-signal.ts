import { callOut } from './edge.ts'

type Listener = ((event: unknown) => unknown) | { handleEvent(event: unknown): unknown }
type Subscribe = (type: string, listener: unknown, options?: unknown) => void

/**
 * Makes `signal` call its listeners through the edge. The platform reports what such a listener throws as an uncaught
 * exception, and the rejection of an async listener as unhandled: either ends the process (SC19).
 *
 * `errorSink` is called before each listener and returns where the errors of that call go.
 */
export function guardSignal(signal: AbortSignal, errorSink: () => (error: unknown) => void): void {
  const platformAdd = signal.addEventListener.bind(signal) as Subscribe
  const platformRemove = signal.removeEventListener.bind(signal) as Subscribe
  // One wrapper per listener, so that adding a listener twice adds it once, and removing it works.
  const wrappers = new WeakMap<Listener, (event: unknown) => void>()
  const wrap = (listener: unknown): unknown => {
    if (!isListener(listener)) return listener
    let wrapper = wrappers.get(listener)
    if (!wrapper) {
      wrapper = (event) => void callOut(() => deliver(signal, listener, event), errorSink())
      wrappers.set(listener, wrapper)
    }
    return wrapper
  }
  const add: Subscribe = (type, listener, options) =>
    platformAdd(type, wrap(listener), type === 'abort' ? once(options) : options)
  const remove: Subscribe = (type, listener, options) => platformRemove(type, wrap(listener), options)
  let handler: unknown = null
  Object.defineProperties(signal, {
    addEventListener: { value: add, configurable: true, writable: true },
    removeEventListener: { value: remove, configurable: true, writable: true },
    onabort: {
      configurable: true,
      get: () => handler,
      set(next: unknown) {
        if (handler !== null) remove('abort', handler)
        handler = typeof next === 'function' ? next : null
        if (handler !== null) add('abort', handler)
      },
    },
  })
}

/** A signal aborts once. A listener that is removed then does not keep what it knows alive (SC9). */
function once(options: unknown): object {
  return typeof options === 'object' ? { ...options, once: true } : { capture: options === true, once: true }
}

function isListener(value: unknown): value is Listener {
  return typeof value === 'function' || (typeof value === 'object' && value !== null)
}

function deliver(signal: AbortSignal, listener: Listener, event: unknown): unknown {
  return typeof listener === 'function'
    ? Reflect.apply(listener, signal, [event])
    : listener.handleEvent(event)
}
