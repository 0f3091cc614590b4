/** The server's messages. */
export type ElevenLabsEvent = ElevenLabsAudio | ElevenLabsFinal | ElevenLabsFailure

export interface ElevenLabsAudio {
  /** Samples in base64. */
  audio: string
  contextId: string
  alignment?: ElevenLabsAlignment
  normalizedAlignment?: ElevenLabsAlignment
}

/** One entry per character, in milliseconds. */
export interface ElevenLabsAlignment {
  chars: string[]
  charStartTimesMs: number[]
  charDurationsMs: number[]
}

export interface ElevenLabsFinal {
  isFinal: true
  contextId: string
}

/** The connection is closed after it, with the same code. */
export interface ElevenLabsFailure {
  message: string
  error: string
  code: number
}

/** A message of the client. What it means depends on the fields that it has. */
export interface ElevenLabsRequest {
  context_id?: string
  text?: string
  voice_settings?: object
  generation_config?: object
  pronunciation_dictionary_locators?: object[]
  flush?: boolean
  close_context?: boolean
  close_socket?: boolean
}
