import { isDeepStrictEqual } from 'node:util'

/** Matches a text that contains this string, matches this expression, or satisfies this function. */
export type TextPattern = string | RegExp | ((text: string) => boolean)

export function textFits(text: string, pattern: TextPattern | undefined): boolean {
  if (pattern === undefined) return true
  if (typeof pattern === 'string') return text.includes(pattern)
  if (typeof pattern === 'function') return pattern(text)
  // Unlike test(), search() ignores the lastIndex of a global expression.
  return text.search(pattern) >= 0
}

/**
 * Whether a value matches a pattern. Objects must match in the fields that the pattern has. Arrays must have the same
 * length and match element by element. A regular expression must match a string, a function must return true, and
 * anything else must be equal.
 */
export function fits(value: unknown, pattern: unknown): boolean {
  if (typeof pattern === 'function') return pattern(value) === true
  if (pattern instanceof RegExp) return typeof value === 'string' && value.search(pattern) >= 0
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value) || value.length !== pattern.length) return false
    return pattern.every((each, index) => fits(value[index], each))
  }
  if (!isPlain(pattern)) return isDeepStrictEqual(value, pattern)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(pattern).every(
    ([name, each]) => name in value && fits((value as Record<string, unknown>)[name], each),
  )
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
