/** The messages of AssemblyAI's streaming speech-to-text, version 3. Times are in milliseconds. */
export type AssemblyAIEvent =
  | AssemblyAIBegin
  | AssemblyAISpeechStarted
  | AssemblyAITurn
  | AssemblyAITermination
  | AssemblyAIError

export interface AssemblyAIBegin {
  type: 'Begin'
  id: string
  /** In seconds since 1970. */
  expires_at: number
}

export interface AssemblyAISpeechStarted {
  type: 'SpeechStarted'
  timestamp: number
}

export interface AssemblyAITurn {
  type: 'Turn'
  turn_order: number
  turn_is_formatted: boolean
  end_of_turn: boolean
  /** The text of the whole turn so far. */
  transcript: string
  /** The text up to a pause, if this message was sent at one. */
  utterance?: string
  end_of_turn_confidence: number
  words: { text: string; start: number; end: number; confidence: number; word_is_final: boolean }[]
  language_code?: string
}

export interface AssemblyAITermination {
  type: 'Termination'
  audio_duration_seconds: number
  session_duration_seconds: number
}

export interface AssemblyAIError {
  type: 'Error'
  error_code: number
  error: string
}

/** The client's messages besides audio. */
export type AssemblyAIControl =
  | { type: 'Terminate' }
  | { type: 'ForceEndpoint' }
  | { type: 'KeepAlive' }
  | { type: 'UpdateConfiguration'; keyterms_prompt?: string[] }
