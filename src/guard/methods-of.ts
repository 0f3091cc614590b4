import { EventEmitter } from 'node:events'

export type Method = (...args: unknown[]) => unknown

/** Included so that listeners can be bound to their caller's context: the session does not own what they open. */
const listenerMethods = ['on', 'once', 'off', 'addListener', 'removeListener', 'prependListener']

const basePrototypes = new Set<object>([Object.prototype, EventEmitter.prototype])

/** The methods of a session, read from `from`: its own, those of its classes, and the listener methods of an emitter. */
export function* methodsOf(session: object, from: object): Iterable<[name: string, method: Method]> {
  const names = new Set(listenerMethods)
  for (
    let each: object | null = session;
    each && !basePrototypes.has(each);
    each = Reflect.getPrototypeOf(each)
  )
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(each)))
      if (typeof value === 'function' && name !== 'constructor') names.add(name)
  for (const name of names) {
    const method: unknown = Reflect.get(from, name)
    if (typeof method === 'function') yield [name, method as Method]
  }
}

/** Replaces a method on this one object. */
export function replaceMethod(thing: object, name: string, value: unknown): void {
  Object.defineProperty(thing, name, { value, configurable: true, writable: true })
}
