import { checkByType } from '../vendor-message.ts'

/** The messages of both voices that are read; all others are ignored. */
export type SpeakMessage =
  /** The end of a speech that was cancelled: Aura says `Cleared`, Flux `SpeechInterrupted`. */
  { readonly type: 'Cleared' | 'SpeechInterrupted' } | SpeechEvent | SpeakWarning | SpeakError

export const checkSpeak = checkByType<SpeakMessage>({
  SpeechStarted: { speech_id: 'id' },
  Flushed: { speech_id: 'id' },
  Cleared: {},
  SpeechInterrupted: {},
  Warning: { code: 'id', description: 'string' },
  Error: { code: 'id', description: 'string' },
})

/** Only Flux has `speech_id`. */
export interface SpeechEvent {
  readonly type: 'SpeechStarted' | 'Flushed'
  readonly speech_id?: string | undefined
}

export interface SpeakWarning {
  readonly type: 'Warning'
  readonly code?: string | undefined
  readonly description?: string | undefined
}

/** The connection is closed after it. */
export interface SpeakError {
  readonly type: 'Error'
  readonly code?: string | undefined
  readonly description?: string | undefined
}

/** The messages that are sent. */
export type SpeakControl =
  | { type: 'Speak'; text: string }
  | { type: 'Flush' }
  | { type: 'Clear' }
  | { type: 'Interrupt' }
