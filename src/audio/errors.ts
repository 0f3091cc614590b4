import { EndwellError } from '../scope/index.ts'

/** Codes of audio errors. Codes are stable; messages may change. */
export type AudioErrorCode =
  | 'BAD_SAMPLE_RATE'
  | 'BAD_DURATION'
  | 'MIXED_SAMPLE_RATES'
  | 'BAD_DTMF_KEY'
  | 'WAV_MALFORMED'
  | 'WAV_UNSUPPORTED'
  | 'WAV_TOO_LONG'

/** An invalid sound or file. The message says what is wrong with which sound, and what to do. */
export class AudioError extends EndwellError {
  override readonly code: AudioErrorCode

  constructor(code: AudioErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options)
    this.code = code
  }
}
