import { EndwellError } from '../scope/index.ts'

/** What can be wrong with audio that was handed in. Codes are stable; messages are for people. */
export type AudioErrorCode =
  | 'BAD_SAMPLE_RATE'
  | 'BAD_DURATION'
  | 'MIXED_SAMPLE_RATES'
  | 'BAD_DTMF_KEY'
  | 'WAV_MALFORMED'
  | 'WAV_UNSUPPORTED'
  | 'WAV_TOO_LONG'

/** An error of the audio room: says what was wrong with which sound, and what to do. */
export class AudioError extends EndwellError {
  declare readonly code: AudioErrorCode
}
