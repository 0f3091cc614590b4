import { EventEmitter } from 'node:events'

export type Method = (...args: unknown[]) => unknown

/** What is called to listen. Listeners are the caller's: what they open when the session ends, it does not own. */
const listening = ['on', 'once', 'off', 'addListener', 'removeListener', 'prependListener']

const everybodys = new Set<object>([Object.prototype, EventEmitter.prototype])

/** The methods of a session, as they are found in `from`: its own, those of its classes, and the emitter's for listening. */
export function* methodsOf(session: object, from: object): Iterable<[name: string, method: Method]> {
  const names = new Set(listening)
  for (let each: object | null = session; each && !everybodys.has(each); each = Reflect.getPrototypeOf(each))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(each)))
      if (typeof value === 'function' && name !== 'constructor') names.add(name)
  for (const name of names) {
    const method: unknown = Reflect.get(from, name)
    if (typeof method === 'function') yield [name, method as Method]
  }
}

/** Puts a method in the place of another, on this one object. */
export function put(thing: object, name: string, value: unknown): void {
  Object.defineProperty(thing, name, { value, configurable: true, writable: true })
}
