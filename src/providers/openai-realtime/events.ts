import { checkByType, type ShapeOf } from '../vendor-message.ts'

// The part of OpenAI's Realtime API (GA) that is used. A test compares each event with the vendor's own types. Events of
// other services are put into this form by their `RealtimeDialect`.

// ── sent ──

/** An event with fields of a service that is not OpenAI. */
export type DialectEvent = { event_id?: string } & (
  | { type: 'session.update'; session: object }
  | { type: 'conversation.item.create'; item: object }
)

export type ClientEvent = { event_id?: string } & (
  | { type: 'session.update'; session: SessionSettings }
  | { type: 'input_audio_buffer.append'; audio: string }
  | { type: 'input_audio_buffer.commit' }
  | { type: 'input_audio_buffer.clear' }
  | { type: 'conversation.item.create'; item: NewItem; previous_item_id?: string }
  | { type: 'conversation.item.delete'; item_id: string }
  | { type: 'conversation.item.truncate'; item_id: string; content_index: number; audio_end_ms: number }
  | {
      type: 'response.create'
      response: { instructions?: string; metadata: { request: string } } | OutOfBandResponse
    }
  | { type: 'response.cancel'; response_id: string }
)

/** A response that is not part of the conversation. */
export interface OutOfBandResponse {
  conversation: 'none'
  input: { type: 'message'; role: 'user'; content: { type: 'input_text'; text: string }[] }[]
  metadata: { request: string }
}

export type SessionSettings = RealtimeSettings | TranscriptionSettings

export interface RealtimeSettings extends ModelSettings {
  type: 'realtime'
  instructions: string
  tools: { type: 'function'; name: string; description: string; parameters: unknown }[]
  output_modalities?: ('audio' | 'text')[]
  audio?: {
    input: AudioInput
    /** Missing if the model answers in text. */
    output?: { format: WireFormat; voice: WireVoice; speed?: number }
  }
}

export interface ModelSettings {
  max_output_tokens?: number
  reasoning?: { effort: 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' }
  tool_choice?: 'auto' | 'none' | 'required' | { type: 'function'; name: string }
  parallel_tool_calls?: boolean
  truncation?:
    | 'auto'
    | 'disabled'
    | { type: 'retention_ratio'; retention_ratio: number; token_limits?: { post_instructions: number } }
}

/** The name of a voice, or the id of a custom one. */
export type WireVoice = string | { id: string }

export interface TranscriptionSettings {
  type: 'transcription'
  audio: { input: AudioInput }
}

export interface AudioInput {
  format: WireFormat
  transcription?: {
    model: string
    language?: string
    languages?: string[]
    prompt?: string
    keywords?: string[]
  }
  noise_reduction?: { type: 'near_field' | 'far_field' }
  turn_detection: TurnDetectionSettings | null
}

export type WireFormat = { type: 'audio/pcm'; rate: 24_000 } | { type: 'audio/pcmu' } | { type: 'audio/pcma' }

export type TurnDetectionSettings =
  | {
      type: 'server_vad'
      threshold?: number
      prefix_padding_ms?: number
      silence_duration_ms?: number
      idle_timeout_ms?: number
    }
  | { type: 'semantic_vad'; eagerness?: 'low' | 'medium' | 'high' | 'auto' }

export type NewItem = { id: string } & (
  | { type: 'message'; role: 'system'; content: { type: 'input_text'; text: string }[] }
  | { type: 'message'; role: 'user'; content: { type: 'input_text'; text: string }[] }
  | { type: 'message'; role: 'assistant'; content: { type: 'output_text'; text: string }[] }
  | { type: 'function_call'; call_id: string; name: string; arguments: string }
  | { type: 'function_call_output'; call_id: string; output: string }
)

// ── received: fields may be missing, and unknown types are ignored ──

export type ServerEvent =
  | { type: 'session.created'; session?: { type?: string; expires_at?: number } }
  | { type: 'session.updated' }
  | { type: 'error'; error?: ApiError }
  | InputEvent
  | TranscriptionEvent
  | ResponseEvent

export interface ApiError {
  type?: string
  message?: string
  code?: string | null
  /** The id of the client event that caused the error. */
  event_id?: string | null
}

export type InputEvent =
  | { type: 'input_audio_buffer.speech_started'; item_id: string }
  | { type: 'input_audio_buffer.speech_stopped'; item_id: string }
  | { type: 'input_audio_buffer.committed'; item_id: string }
  | { type: 'input_audio_buffer.cleared' }

export type TranscriptionEvent = { item_id: string } &
  /** `soFar` is the whole text so far, in place of the next words. */
  (
    | { type: 'conversation.item.input_audio_transcription.delta'; delta?: string; soFar?: string }
    | { type: 'conversation.item.input_audio_transcription.completed'; transcript?: string }
    | {
        type: 'conversation.item.input_audio_transcription.failed'
        error?: { code?: string; message?: string }
      }
  )

export type ResponseEvent =
  | { type: 'response.created'; response?: ServerResponse }
  | { type: 'response.done'; response?: ServerResponse }
  | ItemEvent

/** Events about the items of a response. */
export type ItemEvent =
  | { type: 'response.output_item.added'; response_id: string; item?: OutputItem }
  | { type: 'response.output_item.done'; response_id: string; item?: OutputItem }
  | (InItem & { type: 'response.output_audio.delta'; content_index: number; delta?: string })
  | (InItem & { type: 'response.output_audio_transcript.delta'; delta?: string })
  | (InItem & { type: 'response.output_audio_transcript.done'; transcript?: string })
  | (InItem & { type: 'response.output_text.delta'; delta?: string })

interface InItem {
  response_id: string
  item_id: string
}

export interface ServerResponse {
  id?: string
  status?: 'in_progress' | 'completed' | 'cancelled' | 'failed' | 'incomplete'
  status_details?: { reason?: string; error?: ResponseError }
  metadata?: Record<string, string> | null
  usage?: ServerUsage
}

/** Why a response failed. */
export interface ResponseError {
  type?: string
  code?: string
  message?: string
}

export interface ServerUsage {
  input_tokens?: number
  output_tokens?: number
  input_token_details?: { cached_tokens?: number }
}

/** A message or a call. */
export interface OutputItem {
  type?: string
  id?: string
  status?: string
  call_id?: string
  name?: string
  arguments?: string
}

// ── checks ──

const response: ShapeOf<ServerResponse> = {
  id: 'id',
  status: 'string',
  status_details: { reason: 'string', error: { type: 'string', code: 'string', message: 'string' } },
  metadata: {},
  usage: {
    input_tokens: 'count',
    output_tokens: 'count',
    input_token_details: { cached_tokens: 'count' },
  },
}
const outputItem: ShapeOf<OutputItem> = {
  type: 'string',
  id: 'id',
  status: 'string',
  call_id: 'id',
  name: 'id',
  arguments: 'string',
}
const inItem: ShapeOf<InItem> = { response_id: 'id', item_id: 'id' }

export const checkServerEvent = checkByType<ServerEvent>({
  'session.created': { session: { type: 'string', expires_at: 'number' } },
  'session.updated': {},
  error: { error: { type: 'string', message: 'string', code: 'string', event_id: 'id' } },
  'input_audio_buffer.speech_started': { item_id: 'id' },
  'input_audio_buffer.speech_stopped': { item_id: 'id' },
  'input_audio_buffer.committed': { item_id: 'id' },
  'input_audio_buffer.cleared': {},
  'conversation.item.input_audio_transcription.delta': { item_id: 'id', delta: 'string', soFar: 'string' },
  'conversation.item.input_audio_transcription.completed': { item_id: 'id', transcript: 'string' },
  'conversation.item.input_audio_transcription.failed': {
    item_id: 'id',
    error: { code: 'string', message: 'string' },
  },
  'response.created': { response },
  'response.done': { response },
  'response.output_item.added': { response_id: 'id', item: outputItem },
  'response.output_item.done': { response_id: 'id', item: outputItem },
  'response.output_audio.delta': { ...inItem, content_index: 'count', delta: 'audio' },
  'response.output_audio_transcript.delta': { ...inItem, delta: 'string' },
  'response.output_audio_transcript.done': { ...inItem, transcript: 'string' },
  'response.output_text.delta': { ...inItem, delta: 'string' },
})

// ── type guards ──

export const isResponseEvent = (event: ServerEvent): event is ResponseEvent => startsWith(event, 'response.')
export const isInputEvent = (event: ServerEvent): event is InputEvent =>
  startsWith(event, 'input_audio_buffer.')
export const isTranscriptionEvent = (event: ServerEvent): event is TranscriptionEvent =>
  startsWith(event, 'conversation.item.input_audio_transcription.')

const startsWith = ({ type }: { type?: unknown }, prefix: string): boolean =>
  typeof type === 'string' && type.startsWith(prefix)
