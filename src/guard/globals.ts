/**
 * The few things of the process that have no other door than the global object. Symbols of the registry are the same for
 * every copy of a package.
 */

export function readGlobal(key: symbol): unknown {
  return Reflect.get(globalThis, key)
}

export function writeGlobals(values: Readonly<Record<string | symbol, unknown>>): void {
  Object.assign(globalThis, values)
}

/** For what nobody shall come across by chance, or change. */
export function defineGlobal(key: symbol, value: unknown): void {
  Object.defineProperty(globalThis, key, { value })
}
