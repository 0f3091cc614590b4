/** What Deepgram's speech-to-text sends, version 1. Times are seconds from the beginning of the audio. */
export type DeepgramEvent = DeepgramResults | DeepgramMetadata | DeepgramUtteranceEnd | DeepgramSpeechStarted

export interface DeepgramResults {
  type: 'Results'
  channel_index: number[]
  start: number
  duration: number
  /** These words will not change any more. */
  is_final: boolean
  /** And the speaker has paused after them. */
  speech_final: boolean
  /** They are final because the client wanted it. */
  from_finalize: boolean
  channel: { alternatives: DeepgramAlternative[] }
  metadata: {
    request_id: string
    model_info: { name: string; version: string; arch: string }
    model_uuid: string
  }
}

export interface DeepgramAlternative {
  transcript: string
  confidence: number
  words: DeepgramWord[]
}

export interface DeepgramWord {
  word: string
  punctuated_word: string
  start: number
  end: number
  confidence: number
}

/** The acknowledged end of a stream. */
export interface DeepgramMetadata {
  type: 'Metadata'
  transaction_key: string
  request_id: string
  /** Of all the audio that came. */
  sha256: string
  created: string
  duration: number
  channels: number
}

export interface DeepgramUtteranceEnd {
  type: 'UtteranceEnd'
  channel: number[]
  last_word_end: number
}

export interface DeepgramSpeechStarted {
  type: 'SpeechStarted'
  channel: number[]
  timestamp: number
}

/** What a client may send besides audio. */
export interface DeepgramControl {
  type: 'KeepAlive' | 'Finalize' | 'CloseStream'
}
