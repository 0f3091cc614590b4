import type { Logger } from '../parts/index.ts'
import { noop, shelter } from '../scope/index.ts'

/** A logger of the user's whose methods can neither throw nor reject into the code that logs. */
export function isolatedLogger(logger: Logger): Logger {
  return shelter(logger, ['debug', 'info', 'warn', 'error'], noop)
}
