import type { RealtimeSetup } from '../../parts/index.ts'
import { checkOptions, type OptionNames } from '../../scope/index.ts'
import { withExtra, type Extra } from '../extra.ts'
import type {
  AudioInput,
  Pcm,
  RealtimeSettings,
  TranscriptionSettings,
  TurnDetectionSettings,
} from './events.ts'

/** How the service detects the end of the user's turn. Times are in milliseconds. Defaults: the service's own. */
export type OpenAITurnDetection =
  | {
      /** By silence. */
      readonly type: 'server'
      /** The level above which sound counts as speech, 0 to 1. */
      readonly threshold?: number
      /** How much audio before the speech belongs to the turn. */
      readonly prefix?: number
      /** The silence that ends a turn. */
      readonly silence?: number
      /** The model speaks unprompted after this much silence of the user; at least 5,000. */
      readonly idleTimeout?: number
    }
  | {
      /** By meaning: waits longer after an unfinished sentence. */
      readonly type: 'semantic'
      /** How soon a turn counts as finished. */
      readonly eagerness?: 'low' | 'medium' | 'high' | 'auto'
    }

/** How the user's speech is transcribed. */
const serverNames: OptionNames<Extract<OpenAITurnDetection, { type: 'server' }>> = {
  type: true,
  threshold: true,
  prefix: true,
  silence: true,
  idleTimeout: true,
}

const semanticNames: OptionNames<Extract<OpenAITurnDetection, { type: 'semantic' }>> = {
  type: true,
  eagerness: true,
}

/** Throws if turn detection has an option that it does not know. */
export function checkTurnDetection(what: string, options: OpenAITurnDetection): void {
  if (options.type === 'semantic') checkOptions(`${what}: semantic turnDetection`, options, semanticNames)
  else checkOptions(`${what}: turnDetection`, options, serverNames)
}

export interface OpenAITranscription {
  /** Default: `gpt-4o-mini-transcribe`. */
  readonly model?: string
  /** The spoken language, for example `en`. Default: detected. */
  readonly language?: string
  /** Words and names to expect. */
  readonly prompt?: string
}

export const transcriptionNames: OptionNames<OpenAITranscription> = {
  model: true,
  language: true,
  prompt: true,
}

/** `near` for a headset, `far` for a microphone in a room. */
export type OpenAINoiseReduction = 'near' | 'far'

export interface RealtimeConfig {
  readonly voice: string
  readonly speed: number | undefined
  readonly transcription: OpenAITranscription | false
  readonly turnDetection: OpenAITurnDetection
  readonly noiseReduction: OpenAINoiseReduction | undefined
  readonly maxOutputTokens: number | undefined
  readonly extra: Extra | undefined
}

/** The only sample rate of the service. */
export const RATE = 24_000
const PCM: Pcm = { type: 'audio/pcm', rate: RATE }

/** All settings of a conversation. */
export function realtimeSettings(
  { voice, speed, maxOutputTokens, extra, ...input }: RealtimeConfig,
  { instructions, tools, takesTurns }: Omit<RealtimeSetup, 'messages'>,
): RealtimeSettings {
  const settings: RealtimeSettings = {
    ...agentSettings({ instructions, tools }),
    output_modalities: ['audio'],
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    audio: {
      input: inputOf({ ...input, turnDetection: takesTurns ? input.turnDetection : null }),
      output: { format: PCM, voice, ...(speed === undefined ? {} : { speed }) },
    },
  }
  return withExtra(settings, extra)
}

/** The settings that change with the agent. */
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
