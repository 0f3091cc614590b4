import { checkByType } from '../vendor-message.ts'

/** The messages that are read; all others are ignored. */
export type CartesiaMessage = Chunk | Timestamps | Done | Failure

export const checkCartesia = checkByType<CartesiaMessage>({
  chunk: { context_id: 'id', data: 'audio' },
  timestamps: {
    context_id: 'id',
    word_timestamps: { words: ['string'], start: ['seconds'], end: ['seconds'] },
  },
  done: { context_id: 'id' },
  error: { context_id: 'id', status_code: 'number', title: 'string', message: 'string' },
})

export interface Chunk {
  readonly type: 'chunk'
  readonly context_id?: string | undefined
  /** Samples in base64. */
  readonly data?: string | undefined
}

export interface Timestamps {
  readonly type: 'timestamps'
  readonly context_id?: string | undefined
  /** In seconds from the start of the context. */
  readonly word_timestamps?:
    | {
        readonly words?: readonly string[] | undefined
        readonly start?: readonly number[] | undefined
        readonly end?: readonly number[] | undefined
      }
    | null
    | undefined
}

export interface Done {
  readonly type: 'done'
  readonly context_id?: string | undefined
}

export interface Failure {
  readonly type: 'error'
  readonly context_id?: string | undefined
  readonly status_code?: number | undefined
  readonly title?: string | undefined
  readonly message?: string | undefined
}

/** The settings that every generation request repeats. */
export interface VoiceSettings {
  model_id: string
  voice: { mode: 'id'; id: string }
  output_format: {
    container: 'raw'
    encoding: 'pcm_s16le' | 'pcm_mulaw' | 'pcm_alaw'
    sample_rate: 8000 | 16000 | 24000 | 48000
  }
  add_timestamps: true
  language?: string
  max_buffer_delay_ms?: number
  generation_config?: { speed?: number; volume?: number; emotion?: string }
}

export interface Generation extends VoiceSettings {
  context_id: string
  transcript: string
  /** Whether more text will follow. */
  continue: boolean
}

export interface Cancel {
  context_id: string
  cancel: true
}
