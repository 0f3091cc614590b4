import { checkByType } from '../vendor-message.ts'

/** The messages that are read; all others are ignored. */
export type AssemblyAIMessage = { readonly type: 'Begin' | 'SpeechStarted' | 'Termination' } | Turn | Failure

export const checkAssemblyAI = checkByType<AssemblyAIMessage>({
  Begin: {},
  SpeechStarted: {},
  Termination: {},
  Turn: {
    turn_order: 'count',
    turn_is_formatted: 'boolean',
    end_of_turn: 'boolean',
    transcript: 'string',
    utterance: 'string',
    words: [{ text: 'string', start: 'count', end: 'count', confidence: 'number' }],
    language_code: 'id',
    speaker_label: 'id',
  },
  Error: { error_code: 'number', error: 'string' },
})

export interface Turn {
  readonly type: 'Turn'
  readonly turn_order?: number | undefined
  readonly turn_is_formatted?: boolean | undefined
  readonly end_of_turn?: boolean | undefined
  readonly transcript?: string | undefined
  /** The text up to a pause, in the first message after it. */
  readonly utterance?: string | undefined
  readonly words?: readonly Word[] | undefined
  readonly language_code?: string | undefined
  readonly speaker_label?: string | undefined
}

/** Times are in milliseconds from the start of the audio. */
export interface Word {
  readonly text?: string | undefined
  readonly start?: number | undefined
  readonly end?: number | undefined
  readonly confidence?: number | undefined
}

/** The connection is closed after it, with the same code. */
export interface Failure {
  readonly type: 'Error'
  readonly error_code?: number | undefined
  readonly error?: string | undefined
}

/** The messages that are sent. */
export type Control =
  | { type: 'Terminate' }
  | { type: 'ForceEndpoint' }
  | { type: 'UpdateConfiguration'; keyterms_prompt: string[] }
