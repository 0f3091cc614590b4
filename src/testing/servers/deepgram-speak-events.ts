/** The messages of Deepgram's voices besides audio, which is in binary frames. */
export type SpeakEvent = AuraEvent | FluxSpeakEvent

/** Version 1. */
export type AuraEvent =
  | { type: 'Metadata'; request_id: string; model_name: string; model_version: string; model_uuid: string }
  | { type: 'Flushed' | 'Cleared'; sequence_id: number }
  | SpeakWarningEvent

/** Version 2. */
export type FluxSpeakEvent =
  | {
      type: 'Connected'
      request_id: string
      model_name: string
      model_version: string
      model_uuids: string[]
    }
  | { type: 'SpeechStarted' | 'Flushed'; speech_id: string }
  | ({ type: 'SpeechMetadata' } & FluxSpeechMetadata)
  | { type: 'SpeechInterrupted'; audio_played_ms: number; metadata: FluxSpeechMetadata }
  | SpeakWarningEvent
  | { type: 'Error'; code: string; description: string }

export interface FluxSpeechMetadata {
  speech_id: string
  audio_duration_ms: number
  input_character_count: number
  billable_character_count: number
  controls_applied: { pronunciations_applied: number; breaks_applied: number; pronunciation_warnings: number }
}

export interface SpeakWarningEvent {
  type: 'Warning'
  code: string
  description: string
}

/** The client's messages. */
export type SpeakRequest =
  | { type: 'Speak'; text: string }
  | { type: 'Flush' | 'Clear' | 'Interrupt' | 'Close' | 'Configure' }
