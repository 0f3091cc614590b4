import { checkOf } from '../../vendor-message.ts'

/** A message of the service: audio, the end of a context, or an error. Names come in both spellings. */
export interface ElevenLabsMessage {
  readonly contextId?: string | undefined
  readonly context_id?: string | undefined
  /** Samples in base64. */
  readonly audio?: string | undefined
  /** The timing of the text as it was sent. */
  readonly alignment?: Alignment | undefined
  /** The timing of the text as it was spoken: '$5' has become 'five dollars'. */
  readonly normalizedAlignment?: Alignment | undefined
  readonly isFinal?: boolean | undefined
  readonly is_final?: boolean | undefined
  /** What went wrong, in words. The service then closes the connection. */
  readonly message?: string | undefined
  /** What went wrong, such as `input_timeout_exceeded`. */
  readonly error?: string | undefined
  /** The close code that follows. */
  readonly code?: number | undefined
}

/** One entry per character, in milliseconds. */
export interface Alignment {
  readonly chars?: readonly string[] | undefined
  readonly charStartTimesMs?: readonly number[] | undefined
  readonly charDurationsMs?: readonly number[] | undefined
}

const alignment = { chars: ['id'], charStartTimesMs: ['count'], charDurationsMs: ['count'] } as const

export const checkElevenLabs = checkOf<ElevenLabsMessage>({
  contextId: 'id',
  context_id: 'id',
  audio: 'audio',
  alignment,
  normalizedAlignment: alignment,
  isFinal: 'boolean',
  is_final: 'boolean',
  message: 'string',
  error: 'id',
  code: 'number',
})

/** The settings of every context. */
export interface ContextSettings {
  voice_settings?: {
    stability?: number
    similarity_boost?: number
    style?: number
    use_speaker_boost?: boolean
    speed?: number
  }
  pronunciation_dictionary_locators?: { pronunciation_dictionary_id: string; version_id: string }[]
}

/** The messages that are sent. */
export type ElevenLabsRequest = { context_id: string } & (
  | StartContext
  | { text: string }
  /** Speaks what is buffered. */
  | { flush: true }
  /** Ends the context. It still speaks what was flushed before, and drops the rest. */
  | { close_context: true }
)

/** The first message of a context, which may not be repeated. */
export type StartContext = ContextSettings & { text: ' ' }
