import { checkOf } from '../../vendor-message.ts'

/** A message of the service. Those of other types than `read` knows are ignored. */
export interface ScribeMessage {
  readonly message_type?: string | undefined
  /** The text of the whole turn so far. */
  readonly text?: string | undefined
  /** What went wrong, in words; then `message_type` is the kind of the error. */
  readonly error?: string | undefined
  readonly language_code?: string | undefined
  readonly words?: readonly ScribeWord[] | undefined
}

/** Times are in seconds from the start of the audio. */
export interface ScribeWord {
  readonly text?: string | undefined
  readonly start?: number | undefined
  readonly end?: number | undefined
  /** `word`, or `spacing` between words. */
  readonly type?: string | undefined
  /** The natural logarithm of the probability. */
  readonly logprob?: number | undefined
}

export const checkScribe = checkOf<ScribeMessage>({
  message_type: 'id',
  text: 'string',
  error: 'string',
  language_code: 'id',
  words: [{ text: 'string', start: 'seconds', end: 'seconds', type: 'id', logprob: 'number' }],
})

/** The message that is sent. */
export interface AudioMessage {
  message_type: 'input_audio_chunk'
  /** Samples in base64; empty to commit only. */
  audio_base_64: string
  /** Whether the turn ends here. */
  commit: boolean
  sample_rate: number
}
