/**
 * The edge of endwell: the one place through which code that is not ours is called. What it throws, and what its promise
 * rejects with, goes to `failed` and no further.
 */
export function callOut<T>(work: () => T, failed: (error: unknown) => void): T | undefined {
  let reported = false
  const report = (error: unknown): void => {
    if (reported) return
    reported = true
    try {
      failed(error)
    } catch {
      // There is no one left to report to.
    }
  }
  try {
    const result = work()
    if (
      typeof result === 'object' &&
      result !== null &&
      'then' in result &&
      typeof result.then === 'function'
    )
      Promise.resolve(result as PromiseLike<unknown>).catch(report)
    return result
  } catch (error) {
    report(error)
    return undefined
  }
}

/**
 * The named methods of a foreign object, sheltered: what they throw goes to `failed`. Each method reports once, because
 * a line that cannot play would report every frame.
 */
export function shelter<T extends object, Name extends keyof T & string>(
  thing: T,
  names: readonly Name[],
  failed: (error: unknown) => void,
): Pick<T, Name> {
  const sheltered: Partial<Record<Name, unknown>> = {}
  for (const name of names) {
    let reported = false
    const report = (error: unknown): void => {
      if (!reported) failed(error)
      reported = true
    }
    sheltered[name] = (...args: unknown[]): unknown =>
      callOut(() => (thing[name] as (...input: unknown[]) => unknown).apply(thing, args), report)
  }
  return sheltered as Pick<T, Name>
}
