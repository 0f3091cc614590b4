import { EndwellError } from '../../scope/index.ts'

/**
 * Where a recording goes. `write`, `patch` and `close` come one at a time, each after the one before has settled;
 * `abort` comes at any time.
 */
export interface RecordingSink {
  /** Adds bytes at the end. They are not changed afterwards. */
  write(bytes: Uint8Array): void | PromiseLike<void>
  /** Writes over bytes that were written before. Without it, a recording does not know its own length. */
  patch?(position: number, bytes: Uint8Array): void | PromiseLike<void>
  /** Nothing more comes. */
  close(signal: AbortSignal): void | PromiseLike<void>
  /** Nothing more comes, and nobody waits. Synchronous, idempotent; also before, during and after `close`. */
  abort(): void
}

/** Something is wrong with a recording. The call itself is not touched by it. */
export class RecordingError extends EndwellError {
  constructor(
    code: 'RECORDING_FAILED' | 'RECORDING_BEHIND' | 'RECORDING_FULL' | 'RECORDING_OVERRUN',
    message: string,
    options?: ErrorOptions,
  ) {
    super(code, `recording: ${message}`, options)
  }
}
