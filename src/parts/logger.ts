/** Where a session writes what people should know: the shape of pino, so that a pino logger fits as it is. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Writes nothing. */
export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }
