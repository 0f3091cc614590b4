import { didYouMean } from './did-you-mean.ts'
import { OptionError } from './errors.ts'

/**
 * The names of all options of `T`, or of all members if `T` is a union. The compiler refuses a list that lacks an option
 * or has one too many.
 */
export type OptionNames<T> = Readonly<Record<T extends unknown ? keyof T : never, true>>

/**
 * Throws `OptionError` if `options` is not an object, or has an option that is not in `names` (FA7). An option that is
 * `undefined` is not set, whatever its name. `what` is the function or the class, as a user writes it.
 *
 * ```ts
 * const names: OptionNames<GreeterOptions> = { name: true, language: true }
 * checkOptions('Greeter', options, names)
 * ```
 */
export function checkOptions<T extends object>(what: string, options: T, names: OptionNames<T>): void {
  const problem = optionProblem(what, options, names)
  if (problem) throw problem
}

/** Like `checkOptions`, but returns the error: for functions that must not throw. */
export function optionProblem<T extends object>(
  what: string,
  options: T,
  names: OptionNames<T>,
): OptionError | undefined {
  if (!isObject(options))
    return new OptionError(`${what}: the options must be an object; this is ${kindOf(options)}`)
  const unknown = Object.keys(options).find(
    (name) => !Object.hasOwn(names, name) && options[name as keyof T] !== undefined,
  )
  if (unknown === undefined) return undefined
  const known = Object.keys(names)
  const hint = didYouMean(unknown, known) || ` The options are: ${known.join(', ')}`
  return new OptionError(`${what}: unknown option '${unknown}'.${hint}`)
}

/** Callers without types may pass anything. */
function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}
