import { noop } from '../scope/index.ts'

/** Where a session logs. Shaped like pino, so that a pino logger fits as it is. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Logs nothing. */
export const silentLogger: Logger = { debug: noop, info: noop, warn: noop, error: noop }
