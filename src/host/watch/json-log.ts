import type { Logger } from '../../parts/index.ts'
import { jsonLine } from '../../report/index.ts'
import { callOut, noop, systemClock, type Clock } from '../../scope/index.ts'
import { isLogged, type Level } from '../log-levels.ts'
import { logRecord } from './log-record.ts'

export interface JsonLogOptions {
  /** Messages below this level are dropped. Default: `info`. */
  readonly level?: Level
  /** Writes one line, without its newline. An error that it throws is dropped: a log must not end a call. */
  readonly write: (line: string) => unknown
  readonly clock?: Pick<Clock, 'date'>
}

/**
 * A logger that writes one line of JSON per message: its time, level, text, the id of its call, and its fields.
 *
 * ```ts
 * const logger = jsonLog({ level: 'info', write: (line) => process.stdout.write(`${line}\n`) })
 * logger.warn({ call: 'c1', error }, 'something failed')
 * ```
 */
export function jsonLog({ level = 'info', write, clock = systemClock }: JsonLogOptions): Logger {
  const at =
    (own: Level) =>
    (fields: object, message: string): void => {
      if (!isLogged(own, level)) return
      callOut(() => write(jsonLine(logRecord(own, fields, message, clock.date()))), noop)
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
