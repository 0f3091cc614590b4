import { jsonLine, plain } from '../report/index.ts'
import { systemClock } from '../scope/index.ts'

/**
 * Prints what the command has to say. The only place that does (HO9): every line is made plain, since names, errors and
 * events contain what callers, vendors and carriers sent, and a terminal obeys control characters.
 */
export const terminal = {
  print(...lines: readonly string[]): void {
    for (const line of lines) console.log(plain(line))
  },

  /** Prints text without ending the line. */
  write(text: string): void {
    process.stdout.write(text.split('\n').map(plain).join('\n'))
  },

  /** Prints to stderr. */
  complain(...lines: readonly string[]): void {
    for (const line of lines) console.error(plain(line))
  },

  /** Shows how far something has come, in one line of a terminal that the next call replaces. Prints nothing elsewhere. */
  progress(text: string): void {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${plain(text)}`)
  },

  /** Prints a value as one line of JSON. */
  json(value: unknown): void {
    console.log(jsonLine(value))
  },

  /** Resolves when stdout has what was printed, or has lost its reader. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      process.stdout.write('', () => resolve())
    })
  },
} as const

export function timeOfDay(): string {
  return new Date(systemClock.date()).toTimeString().slice(0, 8)
}
