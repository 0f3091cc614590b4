import type { OpenAIClientItem, OpenAIItem } from './openai-items.ts'
import type { OpenAISession, OpenAISessionUpdate } from './openai-session-config.ts'

/** The client's events, with the fields that the server reads. */
export type OpenAIClientEvent = { event_id?: string } & (
  | { type: 'session.update'; session: OpenAISessionUpdate }
  | { type: 'input_audio_buffer.append'; audio: string }
  | { type: 'input_audio_buffer.commit' }
  | { type: 'input_audio_buffer.clear' }
  | { type: 'output_audio_buffer.clear' }
  | { type: 'conversation.item.create'; item: OpenAIClientItem; previous_item_id?: string }
  | { type: 'conversation.item.delete'; item_id: string }
  | { type: 'conversation.item.retrieve'; item_id: string }
  | { type: 'conversation.item.truncate'; item_id: string; content_index: number; audio_end_ms: number }
  | { type: 'response.create'; response?: OpenAIResponseRequest }
  | { type: 'response.cancel'; response_id?: string }
)

export interface OpenAIResponseRequest {
  instructions?: string
  /** What the response says, in place of an answer from the script. Only for vendors that can be made to say a text. */
  words?: string
  /** `none` for a response outside the conversation. */
  conversation?: string
  /** What the response answers. Default: the conversation. */
  input?: (OpenAIClientItem | { type: 'item_reference'; id: string })[]
  output_modalities?: ('text' | 'audio')[]
  metadata?: Record<string, string> | null
}

/** One event per type, all with the same fields. */
type Each<Type extends string, Body> = Type extends string ? { type: Type } & Body : never

/** The server's events without the `event_id`, which is added when they are sent. */
export type OpenAIServerEventBody =
  | Each<'session.created' | 'session.updated', { session: OpenAISession }>
  | { type: 'error'; error: OpenAIError }
  | { type: 'input_audio_buffer.speech_started'; audio_start_ms: number; item_id: string }
  | { type: 'input_audio_buffer.speech_stopped'; audio_end_ms: number; item_id: string }
  | { type: 'input_audio_buffer.committed'; item_id: string; previous_item_id: string | null }
  | { type: 'input_audio_buffer.cleared' }
  | Each<
      'conversation.item.added' | 'conversation.item.done',
      { item: OpenAIItem; previous_item_id: string | null }
    >
  | { type: 'conversation.item.retrieved'; item: OpenAIItem }
  | { type: 'conversation.item.deleted'; item_id: string }
  | { type: 'conversation.item.truncated'; item_id: string; content_index: number; audio_end_ms: number }
  | OpenAITranscriptionEvent
  | OpenAIResponseEvent
  | { type: 'rate_limits.updated'; rate_limits: OpenAIRateLimit[] }

export type OpenAIServerEvent = OpenAIServerEventBody & { event_id: string }

export interface OpenAIError {
  type: string
  code: string
  message: string
  param: string | null
  event_id: string | null
}

export interface OpenAIRateLimit {
  name: 'requests' | 'tokens'
  limit: number
  remaining: number
  reset_seconds: number
}

type OpenAITranscriptionEvent = { item_id: string; content_index: number } & (
  | { type: 'conversation.item.input_audio_transcription.delta'; delta: string }
  | {
      type: 'conversation.item.input_audio_transcription.completed'
      transcript: string
      usage: { type: 'duration'; seconds: number }
    }
  | {
      type: 'conversation.item.input_audio_transcription.failed'
      error: { type: string; code: string; message: string }
    }
)

interface InResponse {
  response_id: string
  output_index: number
}

interface InItem extends InResponse {
  item_id: string
}

interface InPart extends InItem {
  content_index: number
}

export type OpenAIPart = { type: 'audio'; transcript: string } | { type: 'text'; text: string }

type OpenAIResponseEvent =
  | Each<'response.created' | 'response.done', { response: OpenAIResponseState }>
  | Each<'response.output_item.added' | 'response.output_item.done', InResponse & { item: OpenAIItem }>
  | Each<'response.content_part.added' | 'response.content_part.done', InPart & { part: OpenAIPart }>
  | (InPart & { type: 'response.output_audio.delta'; delta: string })
  | (InPart & { type: 'response.output_audio.done' })
  | (InPart & { type: 'response.output_audio_transcript.delta'; delta: string })
  | (InPart & { type: 'response.output_audio_transcript.done'; transcript: string })
  | (InPart & { type: 'response.output_text.delta'; delta: string })
  | (InPart & { type: 'response.output_text.done'; text: string })
  | (InItem & { type: 'response.function_call_arguments.delta'; call_id: string; delta: string })
  | (InItem & {
      type: 'response.function_call_arguments.done'
      call_id: string
      name: string
      arguments: string
    })

export type OpenAICancelReason = 'turn_detected' | 'client_cancelled'

/** The response in `response.created` and `response.done`. */
export interface OpenAIResponseState {
  id: string
  object: 'realtime.response'
  conversation_id: string
  status: 'in_progress' | 'completed' | 'cancelled' | 'failed'
  status_details?: {
    type: 'cancelled' | 'failed'
    reason?: OpenAICancelReason
    error?: { type: string; code: string; message: string }
  }
  output: OpenAIItem[]
  output_modalities: ('text' | 'audio')[]
  metadata?: Record<string, string> | null
  usage?: OpenAIUsage
}

export interface OpenAIUsage {
  total_tokens: number
  input_tokens: number
  output_tokens: number
  input_token_details: { text_tokens: number; audio_tokens: number; cached_tokens: number }
  output_token_details: { text_tokens: number; audio_tokens: number }
}
