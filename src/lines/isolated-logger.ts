import type { Logger } from '../parts/index.ts'
import { noop } from '../scope/index.ts'

/** Wraps the user's logger so that its methods neither throw nor reject into the code that logs. */
export function isolatedLogger(logger: Logger): Logger {
  const isolated =
    (level: keyof Logger) =>
    (fields: object, message: string): void => {
      // The executor turns a throw into a rejection, and a promise that the logger returns is waited for.
      new Promise((resolve) => resolve(logger[level](fields, message))).catch(noop)
    }
  return {
    debug: isolated('debug'),
    info: isolated('info'),
    warn: isolated('warn'),
    error: isolated('error'),
  }
}
