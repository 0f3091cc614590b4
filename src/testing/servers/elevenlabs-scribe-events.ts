/** The server's messages. */
export type ScribeEvent =
  | { message_type: 'session_started'; session_id: string; config: object }
  /** With the text of the whole turn so far. */
  | { message_type: 'partial_transcript' | 'committed_transcript'; text: string }
  | ScribeTimedTranscript
  | { message_type: ScribeErrorType; error: string }

/** Follows each committed transcript, if the client wants timestamps. */
export interface ScribeTimedTranscript {
  message_type: 'committed_transcript_with_timestamps'
  text: string
  language_code: string
  /** In seconds. */
  words: { text: string; start: number; end: number; type: 'word' | 'spacing'; logprob: number }[]
}

export type ScribeErrorType =
  | 'error'
  | 'auth_error'
  | 'quota_exceeded'
  | 'commit_throttled'
  | 'transcriber_error'
  | 'unaccepted_terms'
  | 'rate_limited'
  | 'input_error'
  | 'invalid_request'
  | 'queue_overflow'
  | 'resource_exhausted'
  | 'session_time_limit_exceeded'
  | 'chunk_size_exceeded'
  | 'insufficient_audio_activity'

/** The client's message. */
export interface ScribeAudio {
  message_type: 'input_audio_chunk'
  audio_base_64: string
  commit: boolean
  sample_rate: number
  previous_text?: string
}
