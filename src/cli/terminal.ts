import { plain } from '../report/index.ts'

/**
 * Prints what the command has to say. The only place that does (HO9): every line is made plain, since names, errors and
 * events contain what callers, vendors and carriers sent, and a terminal obeys control characters.
 */
export const terminal = {
  print(...lines: readonly string[]): void {
    for (const line of lines) console.log(plain(line))
  },

  /** Prints to stderr. */
  complain(...lines: readonly string[]): void {
    for (const line of lines) console.error(plain(line))
  },

  /** Prints a value as one line of JSON. */
  json(value: unknown): void {
    console.log(jsonLine(value))
  },
} as const

/** JSON without the control and format characters that JSON itself leaves unescaped. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
