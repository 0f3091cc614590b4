import type { ToolDescription } from '../../../parts/index.ts'
import { checkByType } from '../../vendor-message.ts'

// ── sent ──

/** The format of the sound, both ways. */
export type LiveFormat =
  | { type: 'audio/pcm'; rate: number }
  | { type: 'audio/pcmu' | 'audio/pcma'; rate: 8_000 }

/** A message of the conversation before the session. */
export interface LiveItem {
  type: 'message'
  role: 'developer' | 'user' | 'assistant'
  content: { type: 'input_text' | 'output_text'; text: string }[]
}

/** The model of the Responses API that thinks, and calls tools, for the one that talks. */
export interface LiveBackend {
  model?: string
  instructions: string
  tools: (ToolDescription & { type: 'function' })[]
}

export interface LiveSession {
  model: string
  instructions?: string
  audio: { format: LiveFormat; output: { voice: string | { readonly id: string } } }
  input: LiveItem[]
  delegation: { type: 'responses'; responses: LiveBackend }
}

export type LiveClientEvent =
  | { type: 'session.start'; session: LiveSession }
  | { type: 'session.update'; session: Pick<LiveSession, 'delegation'> }
  | {
      type: `session.${'instructions' | 'thinking' | 'commentary'}.append`
      content: string
      delegation_id: null
      event_id?: string
    }
  | { type: 'session.input_audio.append'; audio: string }
  | {
      type: 'response.item.create'
      item: { type: 'function_call_output'; call_id: string; output: string }
    }
  | { type: 'response.create'; event_id?: string }
  | { type: 'session.close' }

// ── received; all other events and fields are ignored ──

interface TranscriptDelta<Type extends string> {
  readonly type: Type
  readonly delta?: string | undefined
  /** Milliseconds since the beginning of the session. */
  readonly start_ms?: number | undefined
}

/** Cumulative. */
interface LiveUsage {
  readonly seconds?: number | undefined
}

export interface LiveError {
  readonly type?: string | undefined
  readonly code?: string | undefined
  readonly message?: string | undefined
  /** The `event_id` of the event that caused it. */
  readonly client_event_id?: string | undefined
}

/** An event of the Responses API. */
export interface BackendEvent {
  readonly type?: string | undefined
  readonly item?:
    | {
        readonly type?: string | undefined
        readonly call_id?: string | undefined
        readonly name?: string | undefined
        readonly arguments?: string | undefined
      }
    | undefined
  readonly response?:
    | {
        readonly usage?:
          | { readonly input_tokens?: number | undefined; readonly output_tokens?: number | undefined }
          | undefined
      }
    | undefined
}

export type LiveServerEvent =
  | {
      readonly type: 'session.started'
      readonly session?: { readonly expires_at?: number | undefined } | undefined
    }
  | {
      readonly type: 'session.closed'
      readonly reason?: string | undefined
      readonly usage?: LiveUsage | undefined
    }
  | { readonly type: 'session.output_audio.delta'; readonly delta?: string | undefined }
  | TranscriptDelta<'session.input_transcript.delta'>
  | TranscriptDelta<'session.output_transcript.delta'>
  | { readonly type: 'session.usage.updated'; readonly usage?: LiveUsage | undefined }
  | { readonly type: 'response.event'; readonly event?: BackendEvent | undefined }
  | { readonly type: 'error'; readonly error?: LiveError | undefined }

export const checkLiveEvent = checkByType<LiveServerEvent>({
  'session.started': { session: { expires_at: 'number' } },
  'session.closed': { reason: 'string', usage: { seconds: 'count' } },
  'session.output_audio.delta': { delta: 'audio' },
  'session.input_transcript.delta': { delta: 'string', start_ms: 'number' },
  'session.output_transcript.delta': { delta: 'string', start_ms: 'number' },
  'session.usage.updated': { usage: { seconds: 'count' } },
  'response.event': {
    event: {
      type: 'id',
      item: { type: 'id', call_id: 'id', name: 'id', arguments: 'string' },
      response: { usage: { input_tokens: 'count', output_tokens: 'count' } },
    },
  },
  error: { error: { type: 'string', code: 'string', message: 'string', client_event_id: 'string' } },
})
