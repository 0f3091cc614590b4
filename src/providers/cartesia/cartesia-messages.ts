/** The messages that are read; all others are ignored. */
export type CartesiaMessage = Chunk | Timestamps | Done | Failure

export interface Chunk {
  readonly type: 'chunk'
  readonly context_id: string
  /** Samples in base64. */
  readonly data: string
}

export interface Timestamps {
  readonly type: 'timestamps'
  readonly context_id: string
  /** In seconds from the start of the context. */
  readonly word_timestamps?:
    | {
        readonly words: readonly string[]
        readonly start: readonly number[]
        readonly end: readonly number[]
      }
    | null
    | undefined
}

export interface Done {
  readonly type: 'done'
  readonly context_id: string
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
  output_format: { container: 'raw'; encoding: 'pcm_s16le'; sample_rate: 8000 | 16000 | 24000 | 48000 }
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
