import { invalid } from './openai-error.ts'

export type OpenAIFormat =
  | { type: 'audio/pcm'; rate: 24_000 }
  | { type: 'audio/pcmu' }
  | { type: 'audio/pcma' }

export type OpenAITurnDetection =
  | {
      type: 'server_vad'
      threshold?: number
      prefix_padding_ms?: number
      silence_duration_ms?: number
      idle_timeout_ms?: number | null
      create_response?: boolean
      interrupt_response?: boolean
    }
  | {
      type: 'semantic_vad'
      eagerness?: 'low' | 'medium' | 'high' | 'auto'
      create_response?: boolean
      interrupt_response?: boolean
    }

export interface OpenAITool {
  type: 'function'
  name: string
  description?: string
  parameters?: unknown
}

interface OpenAIAudioInput {
  format: OpenAIFormat
  transcription?: { model?: string; language?: string; prompt?: string; keywords?: string[] }
  turn_detection: OpenAITurnDetection | null
}

/** The session settings, as `session.created` and `session.updated` carry them. */
export type OpenAISession = OpenAIRealtimeSettings | OpenAITranscriptionSettings

export interface OpenAIRealtimeSettings {
  id: string
  object: 'realtime.session'
  type: 'realtime'
  model: string
  /** In seconds since 1970. */
  expires_at: number
  instructions: string
  output_modalities: ('text' | 'audio')[]
  tools: OpenAITool[]
  tool_choice: 'auto' | 'none' | 'required' | { type: 'function'; name: string }
  max_output_tokens: number | 'inf'
  audio: {
    input: OpenAIAudioInput
    output: { format: OpenAIFormat; voice: string | { id: string }; speed: number }
  }
}

export interface OpenAITranscriptionSettings {
  id: string
  object: 'realtime.transcription_session'
  type: 'transcription'
  expires_at: number
  audio: { input: OpenAIAudioInput }
}

/** The fields of an update that the server checks. All others are stored unchanged. */
export interface OpenAISessionUpdate {
  type?: string
  audio?: {
    input?: {
      format?: { type?: string }
      transcription?: object | null
      turn_detection?: OpenAITurnDetection | null
    }
    output?: { format?: { type?: string }; voice?: unknown }
  }
}

const LIVE_MODELS: ReadonlySet<unknown> = new Set(['gpt-live-transcribe', 'gpt-realtime-whisper'])

/** Whether a model transcribes while the user speaks. Such a model has no turn detection. */
export const isLive = (model: string | undefined): boolean => LIVE_MODELS.has(model)

const PCM = { type: 'audio/pcm', rate: 24_000 } as const

const SERVER_VAD = {
  type: 'server_vad',
  threshold: 0.5,
  prefix_padding_ms: 300,
  silence_duration_ms: 500,
  idle_timeout_ms: null,
  create_response: true,
  interrupt_response: true,
} as const

const SEMANTIC_VAD = {
  type: 'semantic_vad',
  eagerness: 'auto',
  create_response: true,
  interrupt_response: true,
} as const

/** The default settings of a new session. */
export function newSession(
  id: string,
  kind: { type: 'realtime'; model: string } | { type: 'transcription' },
  expires: number,
): OpenAISession {
  const expires_at = Math.floor(expires / 1000)
  const input = { format: PCM, turn_detection: SERVER_VAD }
  if (kind.type === 'transcription') {
    return { id, object: 'realtime.transcription_session', ...kind, expires_at, audio: { input } }
  }
  return {
    id,
    object: 'realtime.session',
    ...kind,
    expires_at,
    instructions: 'You are a helpful, witty, and friendly AI.',
    output_modalities: ['audio'],
    tools: [],
    tool_choice: 'auto',
    max_output_tokens: 'inf',
    audio: { input, output: { format: PCM, voice: 'alloy', speed: 1 } },
  }
}

/** Merges a client's update into the settings. Throws `ApiError` if it is invalid. */
export function updated(
  session: OpenAISession,
  update: OpenAISessionUpdate,
  rates: readonly number[],
): OpenAISession {
  if (update.type === undefined)
    throw invalid('missing_required_parameter', "Missing required parameter: 'session.type'.", 'session.type')
  if (update.type !== session.type) {
    throw invalid(
      'invalid_value',
      `Passing a ${update.type} session update event to a ${session.type} session is not allowed.`,
      'session.type',
    )
  }
  const { input = {}, output = {} } = update.audio ?? {}
  checkFormat(input.format, 'session.audio.input.format', rates)
  checkFormat(output.format, 'session.audio.output.format', rates)
  const { turn_detection = session.audio.input.turn_detection } = input
  // Null turns transcription off; the field is then missing, as in the vendor's types.
  const merged: Omit<OpenAIAudioInput, 'transcription'> & { transcription?: { model?: string } | null } = {
    ...session.audio.input,
    ...(input as object),
    turn_detection: withDefaults(turn_detection),
  }
  if (merged.transcription === null) delete merged.transcription
  if (merged.turn_detection && isLive(merged.transcription?.model))
    throw invalid(
      'invalid_value',
      `Turn detection is not supported with the transcription model '${merged.transcription?.model}'.`,
      'session.audio.input.turn_detection',
    )
  const audio =
    session.type === 'realtime'
      ? { input: merged, output: { ...session.audio.output, ...output } }
      : { input: merged }
  return { ...session, ...update, audio } as OpenAISession
}

function withDefaults(detection: OpenAITurnDetection | null): OpenAITurnDetection | null {
  if (detection === null) return null
  return detection.type === 'server_vad' ? { ...SERVER_VAD, ...detection } : { ...SEMANTIC_VAD, ...detection }
}

function checkFormat(
  format: { type?: string; rate?: number } | undefined,
  param: string,
  rates: readonly number[],
): void {
  const { type = 'audio/pcm', rate = 24_000 } = format ?? {}
  if (!['audio/pcm', 'audio/pcmu', 'audio/pcma'].includes(type)) {
    throw invalid('invalid_value', `Invalid value: '${type}'.`, `${param}.type`)
  }
  if (type === 'audio/pcm' && !rates.includes(rate)) {
    const supported =
      rates.length === 1 ? `The only rate is ${rates[0]}.` : `The rates are ${rates.join(', ')}.`
    throw invalid('invalid_value', `Invalid value: ${rate}. ${supported}`, `${param}.rate`)
  }
}
