/** The server's messages. */
export type CartesiaEvent =
  | CartesiaChunk
  | CartesiaTimestamps
  | CartesiaFlushDone
  | CartesiaDone
  | CartesiaFailure

export interface CartesiaChunk {
  type: 'chunk'
  context_id: string
  /** Samples in base64. */
  data: string
  step_time: number
  status_code: number
  done: false
  flush_id: number
}

/** Times are in seconds from the start of the context. */
export interface CartesiaTimestamps {
  type: 'timestamps'
  context_id: string
  word_timestamps: { words: string[]; start: number[]; end: number[] }
  status_code: number
  done: false
  flush_id: number
}

export interface CartesiaFlushDone {
  type: 'flush_done'
  context_id: string
  flush_id: number
  flush_done: true
  status_code: number
  done: false
}

export interface CartesiaDone {
  type: 'done'
  context_id: string
  status_code: number
  done: true
}

export interface CartesiaFailure {
  type: 'error'
  context_id: string
  status_code: number
  title: string
  message: string
  error_code: string
  done: true
}

export function failureOf(context_id: string, message: string): CartesiaFailure {
  const title = 'Invalid request'
  return {
    type: 'error',
    context_id,
    status_code: 400,
    title,
    message,
    error_code: 'bad_request',
    done: true,
  }
}

/** The client's messages. */
export type CartesiaRequest = CartesiaGeneration | { context_id: string; cancel: true }

export interface CartesiaGeneration {
  context_id: string
  model_id: string
  transcript: string
  voice: { mode: 'id'; id: string }
  output_format: {
    container: 'raw'
    encoding: 'pcm_s16le' | 'pcm_mulaw' | 'pcm_alaw'
    sample_rate: 8000 | 16000 | 24000 | 48000
  }
  language?: string
  add_timestamps?: boolean
  /** Whether more text will follow. */
  continue?: boolean
  /** Asks to speak the text so far and to confirm it with `flush_done`. */
  flush?: boolean
  max_buffer_delay_ms?: number
}
