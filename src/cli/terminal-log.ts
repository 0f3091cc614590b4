import { logRecord } from '../host/index.ts'
import { isLogged, type Level } from '../host/log-levels.ts'
import type { Logger } from '../parts/index.ts'
import { describeError, systemClock } from '../scope/index.ts'
import { plain } from '../report/index.ts'
import { timeOfDay, type terminal } from './terminal.ts'

export interface TerminalLogOptions {
  /** Messages below this level are dropped. */
  readonly level: Level
  /** Writes one line of JSON per message. */
  readonly json: boolean
  readonly to: Pick<typeof terminal, 'print' | 'json'>
}

/** A logger for the terminal. Prints the message, its fields, and where an error was thrown. */
export function terminalLog({ level, json, to }: TerminalLogOptions): Logger {
  const at =
    (own: Level) =>
    (fields: object, message: string): void => {
      if (!isLogged(own, level)) return
      if (json) to.json(logRecord(own, fields, message, systemClock.date()))
      else to.print(...asText(own, fields, message))
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

function asText(level: Level, fields: object, message: string): string[] {
  const entries = Object.entries(fields) as [string, unknown][]
  const errors = entries.flatMap(([, value]) => (value instanceof Error ? [value] : []))
  const others = entries
    .filter(([, value]) => !(value instanceof Error) && value !== undefined)
    .map(([name, value]) => plain(`${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`))
  return [
    `${timeOfDay()} ${level.padEnd(5)} ${[plain(message), ...others].join(' · ')}`,
    ...errors.flatMap(linesOf).map((line) => `         ${line}`),
  ]
}

/** Errors with a code say what to do. Other errors are printed with the top of their stack. */
function linesOf(error: Error): string[] {
  const { name, message, code } = describeError(error)
  if (code !== undefined || error.stack === undefined) return [plain(`${name}: ${message}`)]
  const frames = error.stack.split('\n').filter((line) => /^\s+at /.test(line))
  return [plain(`${name}: ${message}`), ...frames.slice(0, 5).map((line) => `  ${plain(line.trim())}`)]
}
