/**
 * The same thing, except that what the named methods throw is told and goes no further. Parts promise not to throw
 * there; a part that breaks its promise must not take the call with it.
 */
export function shelter<T extends object, Name extends keyof T & string>(
  thing: T,
  names: readonly Name[],
  failed: (error: unknown) => void,
): Pick<T, Name> {
  const sheltered: Partial<Record<Name, unknown>> = {}
  let told = false
  for (const name of names) {
    sheltered[name] = (...args: unknown[]): unknown => {
      try {
        const method = thing[name] as (...input: unknown[]) => unknown
        return method.apply(thing, args)
      } catch (error) {
        // Once: a line that cannot play says so for every frame.
        if (!told) failed(error)
        told = true
        return undefined
      }
    }
  }
  return sheltered as Pick<T, Name>
}
