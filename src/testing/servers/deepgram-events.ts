/** The messages of Deepgram's speech-to-text, version 1. Times are in seconds from the start of the audio. */
export type DeepgramEvent = DeepgramResults | DeepgramMetadata | DeepgramUtteranceEnd | DeepgramSpeechStarted

export interface DeepgramResults {
  type: 'Results'
  channel_index: number[]
  start: number
  duration: number
  /** The transcript will not change any more. */
  is_final: boolean
  /** The transcript is final and the speaker has paused. */
  speech_final: boolean
  /** The transcript is final because the client sent `Finalize`. */
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
  languages?: string[]
  words: DeepgramWord[]
}

export interface DeepgramWord {
  word: string
  punctuated_word: string
  start: number
  end: number
  confidence: number
  speaker?: number
}

/** Acknowledges the end of a stream. */
export interface DeepgramMetadata {
  type: 'Metadata'
  transaction_key: string
  request_id: string
  /** The hash of all audio received. */
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

/** The client's messages besides audio. */
export interface DeepgramControl {
  type: 'KeepAlive' | 'Finalize' | 'CloseStream'
}
