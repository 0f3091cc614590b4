import { AsyncResource } from 'node:async_hooks'
import type { Runner } from './iterate-in.ts'

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown

/** The part of a guard that a wrapped object uses. */
interface Wrapping extends Runner {
  iterate<T>(source: AsyncIterable<T>): AsyncIterableIterator<T>
}

/** Methods that take a listener, which belongs to the caller and not to the session. */
const listenerMethods = new Set<string | symbol>([
  'on',
  'once',
  'off',
  'addListener',
  'removeListener',
  'prependListener',
  'prependOnceListener',
  'addEventListener',
  'removeEventListener',
])

/** Each listener is bound to its caller's context only once, because `off` needs the same function as `on`. */
const boundListeners = new WeakMap<AnyFunction, AnyFunction>()

/**
 * Returns a proxy of `target` that runs in the guard's context.
 *
 * Methods and accessors are called on the target itself and never on the proxy, because private members and built-in
 * objects require that. Return values are passed on unchanged, with two exceptions: the target itself stays wrapped, and
 * async generators also run in the context.
 */
export function wrapIn<T extends object>(guard: Wrapping, target: T): T {
  const methods = new WeakMap<AnyFunction, AnyFunction>()

  const wrapResult = (value: unknown): unknown => {
    if (value === target) return proxy
    return isAsyncGenerator(value) ? guard.iterate(value) : value
  }
  const methodFor = (name: string | symbol, method: AnyFunction): AnyFunction => {
    const known = methods.get(method)
    if (known) return known
    const wrapped = function (this: unknown, ...args: unknown[]): unknown {
      const self = this === proxy ? target : this
      const given = listenerMethods.has(name) ? args.map(boundListener) : args
      return wrapResult(guard.run(() => Reflect.apply(method, self, given)))
    }
    methods.set(method, wrapped)
    return wrapped
  }

  const proxy: T = new Proxy(target, {
    get(_, name) {
      const value: unknown = guard.run(() => Reflect.get(target, name, target))
      if (typeof value !== 'function' || name === 'constructor' || isFixed(target, name))
        return value === target ? proxy : value
      return methodFor(name, value as AnyFunction)
    },
    set: (_, name, value) => guard.run(() => Reflect.set(target, name, value, target)),
  })
  return proxy
}

function boundListener(argument: unknown): unknown {
  if (typeof argument !== 'function') return argument
  const listener = argument as AnyFunction
  // `once` has wrapped a listener that is already bound. Emitters recognise the wrapper by this property.
  if ('listener' in listener) return listener
  const known = boundListeners.get(listener)
  if (known) return known
  const resource = new AsyncResource('listener')
  const bound: AnyFunction = function (...args) {
    return resource.runInAsyncScope(listener, this, ...args)
  }
  boundListeners.set(listener, bound)
  boundListeners.set(bound, bound)
  return bound
}

/** A proxy must return the original value of a property that can never change. */
function isFixed(target: object, name: string | symbol): boolean {
  const property = Reflect.getOwnPropertyDescriptor(target, name)
  return property?.configurable === false && property.writable === false
}

function isAsyncGenerator(value: unknown): value is AsyncGenerator {
  return Object.prototype.toString.call(value) === '[object AsyncGenerator]'
}
