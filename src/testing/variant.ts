/** A copy of `original` with some properties replaced. Getters stay getters. */
export function variantOf<T extends object>(original: T, changes: Partial<T>): T {
  const changed = Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [name, { value, enumerable: true, configurable: true }]),
  )
  return Object.create(Object.getPrototypeOf(original) as object, {
    ...Object.getOwnPropertyDescriptors(original),
    ...changed,
  }) as T
}
