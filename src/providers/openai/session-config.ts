import type { RealtimeSetup } from '../../parts/index.ts'
import type {
  AudioInput,
  Pcm,
  RealtimeSettings,
  TranscriptionSettings,
  TurnDetectionSettings,
} from './events.ts'

/** How the service notices that the user has finished. Times are milliseconds; what is not set is its own choice. */
export type OpenAITurnDetection =
  | {
      /** By silence. */
      readonly type: 'server'
      /** How loud speech is, 0 to 1. */
      readonly threshold?: number
      /** How much of what came before a speech belongs to it. */
      readonly prefix?: number
      /** The silence that ends a turn. */
      readonly silence?: number
      /** The model speaks by itself when the user has said nothing for so long, 5,000 or more. */
      readonly idleTimeout?: number
    }
  | {
      /** By what is said: words that trail off are waited for. */
      readonly type: 'semantic'
      /** How soon it thinks that the user has finished. */
      readonly eagerness?: 'low' | 'medium' | 'high' | 'auto'
    }

/** How the user's words are written down. */
export interface OpenAITranscription {
  /** `gpt-4o-mini-transcribe` unless set. */
  readonly model?: string
  /** What is spoken, `en` for instance; recognised unless set. */
  readonly language?: string
  /** Words and names that may come up. */
  readonly prompt?: string
}

/** For a microphone that is near, a headset, or far, a room. */
export type OpenAINoiseReduction = 'near' | 'far'

export interface RealtimeConfig {
  readonly voice: string
  readonly speed: number | undefined
  readonly transcription: OpenAITranscription | false
  readonly turnDetection: OpenAITurnDetection
  readonly noiseReduction: OpenAINoiseReduction | undefined
  readonly maxOutputTokens: number | undefined
}

/** The only rate there is. */
export const RATE = 24_000
const PCM: Pcm = { type: 'audio/pcm', rate: RATE }

/** All that a conversation is set to. */
export function realtimeSettings(
  { voice, speed, maxOutputTokens, ...input }: RealtimeConfig,
  { instructions, tools, takesTurns }: Omit<RealtimeSetup, 'messages'>,
): RealtimeSettings {
  return {
    ...agentSettings({ instructions, tools }),
    output_modalities: ['audio'],
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    audio: {
      input: inputOf({ ...input, turnDetection: takesTurns ? input.turnDetection : null }),
      output: { format: PCM, voice, ...(speed === undefined ? {} : { speed }) },
    },
  }
}

/** What changes when another agent takes over. */
export function agentSettings({
  instructions,
  tools,
}: Pick<RealtimeSetup, 'instructions' | 'tools'>): RealtimeSettings {
  return {
    type: 'realtime',
    instructions,
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      name,
      description,
      parameters,
    })),
  }
}

export interface InputConfig {
  readonly transcription: OpenAITranscription | false
  readonly turnDetection: OpenAITurnDetection | null
  readonly noiseReduction: OpenAINoiseReduction | undefined
}

export function transcriptionSettings(config: InputConfig): TranscriptionSettings {
  return { type: 'transcription', audio: { input: inputOf(config) } }
}

function inputOf({ transcription, turnDetection, noiseReduction }: InputConfig): AudioInput {
  return {
    format: PCM,
    ...(transcription ? { transcription: { model: 'gpt-4o-mini-transcribe', ...transcription } } : {}),
    ...(noiseReduction ? { noise_reduction: { type: `${noiseReduction}_field` } } : {}),
    turn_detection: turnDetection && turnDetectionOf(turnDetection),
  }
}

function turnDetectionOf(detection: OpenAITurnDetection): TurnDetectionSettings {
  if (detection.type === 'semantic') return { ...detection, type: 'semantic_vad' }
  const { threshold, prefix, silence, idleTimeout } = detection
  return {
    type: 'server_vad',
    ...(threshold === undefined ? {} : { threshold }),
    ...(prefix === undefined ? {} : { prefix_padding_ms: prefix }),
    ...(silence === undefined ? {} : { silence_duration_ms: silence }),
    ...(idleTimeout === undefined ? {} : { idle_timeout_ms: idleTimeout }),
  }
}
