import { EndwellError } from '../../scope/index.ts'

/**
 * The destination of a recording. `write`, `patch` and `close` are called one at a time, each after the previous one has
 * settled. `abort` may be called at any time.
 */
export interface RecordingSink {
  /** Where the recording can be found, for the report: a path or an address, without credentials. */
  readonly place?: string
  /** Appends bytes. The array is not changed afterwards. */
  write(bytes: Uint8Array): void | PromiseLike<void>
  /** Overwrites bytes that were written before. Without it, the header of a recording does not state its length. */
  patch?(position: number, bytes: Uint8Array): void | PromiseLike<void>
  /** Finishes the recording. Nothing is written afterwards. */
  close(signal: AbortSignal): void | PromiseLike<void>
  /** Gives up the recording now. Synchronous and idempotent; may be called before, during and after `close`. */
  abort(): void
}

/** What a report says about a recording. */
export interface RecordingReport {
  readonly place?: string
  /** Whether all of it was written. */
  readonly complete: boolean
}

/** A problem with a recording. It does not affect the call. */
export class RecordingError extends EndwellError {
  constructor(
    code:
      | 'RECORDING_FAILED'
      | 'RECORDING_BEHIND'
      | 'RECORDING_FULL'
      | 'RECORDING_OVERRUN'
      | 'RECORDING_UNSUPPORTED'
      | 'RECORDING_UNCONFIRMED',
    message: string,
    options?: ErrorOptions,
  ) {
    super(code, `recording: ${message}`, options)
  }
}
