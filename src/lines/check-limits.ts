import { OptionError } from '../scope/index.ts'
import { checkSecret } from './secrets.ts'

/** Throws if an option that calls of several kinds have cannot work. */
export function checkLimits({
  secret,
  rejoinTimeout = 0,
  lostTimeout = 1,
  maxCalls = 1,
  maxRate = 1,
}: {
  readonly secret?: string | undefined
  readonly rejoinTimeout?: number
  readonly lostTimeout?: number
  readonly maxCalls?: number
  readonly maxRate?: number
}): void {
  if (secret !== undefined) checkSecret(secret)
  if (!(rejoinTimeout >= 0 && rejoinTimeout < Infinity && lostTimeout > 0 && lostTimeout < Infinity))
    throw new OptionError('rejoinTimeout and lostTimeout must be finite numbers of milliseconds')
  if (!(maxCalls > 0 && maxRate > 0)) throw new OptionError('maxCalls and maxRate must be above 0')
}
