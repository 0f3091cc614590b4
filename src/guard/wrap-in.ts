import { AsyncResource } from 'node:async_hooks'
import type { Runner } from './iterate-in.ts'

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown

/** What a wrapped object needs of its guard. */
interface Wrapping extends Runner {
  iterate<T>(source: AsyncIterable<T>): AsyncIterableIterator<T>
}

/** Methods whose second argument is a listener, which is the caller's and not the session's. */
const listening = new Set<string | symbol>([
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

/** A listener is bound to its caller's context once: `off` must be given the same function as `on`. */
const boundListeners = new WeakMap<AnyFunction, AnyFunction>()

/**
 * An object that does all that `target` does, in the guard's context.
 *
 * Methods and accessors are applied to the target itself, never to the proxy: private members and built-in objects
 * know only that. What they return is passed on as it is, but the target itself, which stays wrapped, and async
 * generators, which are gone through in the context, too.
 */
export function wrapIn<T extends object>(guard: Wrapping, target: T): T {
  const methods = new WeakMap<AnyFunction, AnyFunction>()

  const passedOn = (value: unknown): unknown => {
    if (value === target) return proxy
    return isAsyncGenerator(value) ? guard.iterate(value) : value
  }
  const methodFor = (name: string | symbol, method: AnyFunction): AnyFunction => {
    const known = methods.get(method)
    if (known) return known
    const entering = function (this: unknown, ...args: unknown[]): unknown {
      const self = this === proxy ? target : this
      const given = listening.has(name) ? args.map(boundListener) : args
      return passedOn(guard.run(() => Reflect.apply(method, self, given)))
    }
    methods.set(method, entering)
    return entering
  }

  const proxy: T = new Proxy(target, {
    get(_, name) {
      const value: unknown = guard.run(() => Reflect.get(target, name, target))
      if (typeof value !== 'function' || name === 'constructor' || isFixed(target, name))
        return passedOnValue(value)
      return methodFor(name, value as AnyFunction)
    },
    set: (_, name, value) => guard.run(() => Reflect.set(target, name, value, target)),
  })
  const passedOnValue = (value: unknown): unknown => (value === target ? proxy : value)
  return proxy
}

function boundListener(argument: unknown): unknown {
  if (typeof argument !== 'function') return argument
  const listener = argument as AnyFunction
  // What `once` makes of a listener that is bound already: an emitter knows it by this.
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

/** A proxy must not give another value for a property that can never change. */
function isFixed(target: object, name: string | symbol): boolean {
  const property = Reflect.getOwnPropertyDescriptor(target, name)
  return property?.configurable === false && property.writable === false
}

function isAsyncGenerator(value: unknown): value is AsyncGenerator {
  return Object.prototype.toString.call(value) === '[object AsyncGenerator]'
}
