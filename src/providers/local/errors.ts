import { EndwellError } from '../../scope/index.ts'

/**
 * - `ENGINE_MISSING`: a program or package is not installed
 * - `ENGINE_FAILED`: the engine reported an error or did not produce audio
 * - `ENGINE_TIMEOUT`: the engine did not finish in time and was ended
 * - `WORKER_DIED`: the engine's worker thread has ended
 * - `UNKNOWN_WORD`: a phrase has a word that the dictionary lacks
 */
export type LocalErrorCode =
  | 'ENGINE_MISSING'
  | 'ENGINE_FAILED'
  | 'ENGINE_TIMEOUT'
  | 'WORKER_DIED'
  | 'UNKNOWN_WORD'

/** An error of a model that runs on this machine. */
export class LocalError extends EndwellError {
  override readonly code: LocalErrorCode

  constructor(code: LocalErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options)
    this.code = code
  }
}
