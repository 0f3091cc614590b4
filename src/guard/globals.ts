// Access to process-wide state that is only reachable through the global object. `Symbol.for` keys are the same in every
// copy of a package.

export function readGlobal(key: symbol): unknown {
  return Reflect.get(globalThis, key)
}

export function writeGlobals(values: Readonly<Record<string | symbol, unknown>>): void {
  Object.assign(globalThis, values)
}

/** Defines a property that is neither enumerable nor writable. */
export function defineGlobal(key: symbol, value: unknown): void {
  Object.defineProperty(globalThis, key, { value })
}
