import { noop } from '../scope/index.ts'

/** The logger of a session. Compatible with pino. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A logger that discards everything. */
export const silentLogger: Logger = { debug: noop, info: noop, warn: noop, error: noop }
