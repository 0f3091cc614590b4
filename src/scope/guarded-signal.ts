import { callOut } from './edge.ts'

type Listener = ((event: unknown) => unknown) | { handleEvent(event: unknown): unknown }
type PlatformListener = Parameters<AbortSignal['addEventListener']>[1]
type Options = Parameters<AbortSignal['addEventListener']>[2]

/** What a guarded signal has in addition to other signals. */
interface Guard {
  readonly errorSink: () => (error: unknown) => void
  /** One wrapper per listener, so that adding a listener twice adds it once, and removing it works. */
  wrappers: WeakMap<Listener, (event: unknown) => void> | undefined
  handler: AbortSignal['onabort']
}

const GUARD = Symbol('guard')

/**
 * The methods of guarded signals, which the platform creates: only the prototype of this class is used. If each signal had
 * functions of its own, V8 would give each a hidden class of its own, which makes every use of a signal slow.
 */
class GuardedSignal extends AbortSignal {
  declare [GUARD]: Guard

  override addEventListener(type: string, listener: unknown, options?: Options): void {
    super.addEventListener(type, wrap(this, listener), type === 'abort' ? once(options) : options)
  }

  override removeEventListener(type: string, listener: unknown, options?: Options): void {
    super.removeEventListener(type, wrap(this, listener), options)
  }

  override get onabort(): Guard['handler'] {
    return this[GUARD].handler
  }

  override set onabort(next: Guard['handler']) {
    const { handler } = this[GUARD]
    if (handler !== null) this.removeEventListener('abort', handler)
    this[GUARD].handler = typeof next === 'function' ? next : null
    if (typeof next === 'function') this.addEventListener('abort', next)
  }
}

/**
 * Makes `signal` call its listeners through the edge. The platform reports what such a listener throws as an uncaught
 * exception, and the rejection of an async listener as unhandled: either ends the process (SC19).
 *
 * `errorSink` is called before each listener and returns where the errors of that call go.
 */
export function guardSignal(signal: AbortSignal, errorSink: () => (error: unknown) => void): void {
  const guarded = Object.setPrototypeOf(signal, GuardedSignal.prototype) as GuardedSignal
  guarded[GUARD] = { errorSink, wrappers: undefined, handler: null }
}

function wrap(signal: GuardedSignal, listener: unknown): PlatformListener {
  // The platform ignores or refuses what is no listener.
  if (!isListener(listener)) return listener as PlatformListener
  const guard = signal[GUARD]
  const wrappers = (guard.wrappers ??= new WeakMap())
  let wrapper = wrappers.get(listener)
  if (!wrapper) {
    wrapper = (event) => void callOut(() => deliver(signal, listener, event), guard.errorSink())
    wrappers.set(listener, wrapper)
  }
  return wrapper
}

/** A signal aborts once. A listener that is removed then does not keep what it knows alive (SC9). */
function once(options: Options): Options {
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
