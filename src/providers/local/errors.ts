import { EndwellError } from '../../scope/index.ts'

/**
 * - `ENGINE_MISSING`: a program or package is not installed
 * - `ENGINE_FAILED`: it has answered with an error, or with something that is no sound
 * - `ENGINE_TIMEOUT`: it did not answer in time, and was ended
 * - `WORKER_DIED`: the thread it lived in is gone
 * - `UNKNOWN_WORD`: a phrase has a word that the dictionary does not have
 */
export type LocalErrorCode =
  | 'ENGINE_MISSING'
  | 'ENGINE_FAILED'
  | 'ENGINE_TIMEOUT'
  | 'WORKER_DIED'
  | 'UNKNOWN_WORD'

/** An error of a model that runs on this machine. */
export class LocalError extends EndwellError {
  declare readonly code: LocalErrorCode
}
