import type { RealtimeSetup } from '../../parts/index.ts'
import { checkOptions, type OptionNames } from '../../scope/index.ts'
import { withExtra, type Extra } from '../extra.ts'
import { wireFormatOf } from './audio-format.ts'
import type {
  AudioInput,
  RealtimeSettings,
  TranscriptionSettings,
  TurnDetectionSettings,
  WireFormat,
} from '../openai-realtime/events.ts'
import { modelSettings, type OpenAIModelOptions } from './model-settings.ts'

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

/** How the user's speech is transcribed. */
export interface OpenAITranscription {
  /**
   * Default: `gpt-transcribe`; for `OpenAIStt` without turn detection `gpt-live-transcribe`, which transcribes while the
   * user speaks, and takes no turn detection.
   */
  readonly model?: string
  /** The spoken language, for example `en`. Default: detected. */
  readonly language?: string
  /** Languages that may be spoken. */
  readonly languages?: readonly string[]
  /** Words and names to expect. */
  readonly keywords?: readonly string[]
  /** Describes the audio in free text. */
  readonly prompt?: string
}

export const transcriptionNames: OptionNames<OpenAITranscription> = {
  model: true,
  language: true,
  languages: true,
  keywords: true,
  prompt: true,
}

/** The transcription models that are used unless another one is chosen: per turn, and while the user speaks. */
export const TRANSCRIPTION_MODEL = 'gpt-transcribe'
export const LIVE_TRANSCRIPTION_MODEL = 'gpt-live-transcribe'

/** `near` for a headset, `far` for a microphone in a room. */
export type OpenAINoiseReduction = 'near' | 'far'

/** The name of a voice, or the id of a custom one. */
export type OpenAIVoice = string | { readonly id: string }

export interface RealtimeConfig {
  readonly voice: OpenAIVoice
  readonly speed: number | undefined
  readonly transcription: OpenAITranscription | false
  readonly turnDetection: OpenAITurnDetection
  readonly noiseReduction: OpenAINoiseReduction | undefined
  readonly model: OpenAIModelOptions
  readonly extra: Extra | undefined
}

/** All settings of a conversation. */
export function realtimeSettings(
  { voice, speed, model, extra, ...input }: RealtimeConfig,
  { instructions, tools, takesTurns, hears, speaks }: Omit<RealtimeSetup, 'messages'>,
): RealtimeSettings {
  const settings: RealtimeSettings = {
    ...agentSettings({ instructions, tools }),
    ...modelSettings(model),
    output_modalities: [speaks ? 'audio' : 'text'],
    audio: {
      input: inputOf({
        ...input,
        format: wireFormatOf(hears),
        turnDetection: takesTurns ? input.turnDetection : null,
      }),
      ...(speaks && {
        output: { format: wireFormatOf(speaks), voice, ...(speed === undefined ? {} : { speed }) },
      }),
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
  readonly format: WireFormat
  readonly transcription: OpenAITranscription | false
  readonly turnDetection: OpenAITurnDetection | null
  readonly noiseReduction: OpenAINoiseReduction | undefined
}

/** `keyTerms` are those of the agent in charge, besides the configured ones. */
export function transcriptionSettings(
  { transcription, ...config }: InputConfig,
  keyTerms: readonly string[],
): TranscriptionSettings {
  const words = [...((transcription && transcription.keywords) || []), ...keyTerms]
  const withTerms = transcription && words.length > 0 ? { ...transcription, keywords: words } : transcription
  return { type: 'transcription', audio: { input: inputOf({ ...config, transcription: withTerms }) } }
}

function inputOf({ format, transcription, turnDetection, noiseReduction }: InputConfig): AudioInput {
  return {
    format,
    ...(transcription ? { transcription: transcriptionOf(transcription) } : {}),
    ...(noiseReduction ? { noise_reduction: { type: `${noiseReduction}_field` } } : {}),
    turn_detection: turnDetection && turnDetectionOf(turnDetection),
  }
}

function transcriptionOf(options: OpenAITranscription): NonNullable<AudioInput['transcription']> {
  const { model = TRANSCRIPTION_MODEL, language, languages, keywords, prompt } = options
  return {
    model,
    ...(language === undefined ? {} : { language }),
    ...(languages === undefined ? {} : { languages: [...languages] }),
    ...(keywords === undefined ? {} : { keywords: [...keywords] }),
    ...(prompt === undefined ? {} : { prompt }),
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
