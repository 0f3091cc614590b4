import { checkOptions, type OptionNames } from '../../scope/index.ts'
import type { Extra } from '../extra.ts'

/** How the service detects the end of the user's turn. Times are in milliseconds. Defaults: the service's own. */
export interface XaiTurnDetection {
  /** The level above which sound counts as speech, 0.1 to 0.9. */
  readonly threshold?: number
  /** How much audio before the speech belongs to the turn. */
  readonly prefix?: number
  /** The silence that ends a turn. */
  readonly silence?: number
  /** The model speaks unprompted after this much silence of the user. Default: never. */
  readonly idleTimeout?: number
}

/** How the user's speech is transcribed. */
export interface XaiTranscription {
  /** The spoken language, for example `en` or `es-MX`. Default: detected. */
  readonly language?: string
  /** Words and names to expect: at most 100, of 50 characters. */
  readonly keywords?: readonly string[]
}

export interface XaiRealtimeOptions {
  /** Default: the environment variable `XAI_API_KEY`. A function is called before each connection, and may return a promise. */
  readonly apiKey?: string | (() => string | Promise<string>)
  /** Default: `wss://api.x.ai/v1`. */
  readonly url?: string
  /** The name in reports and logs. Default: `xai`. */
  readonly name?: string
  /** Default: `grok-voice-latest`, which the service moves to its newest model. */
  readonly model?: string
  /** A voice of the service, such as `ara`, or the id of a custom one. Default: `eve`. */
  readonly voice?: string
  /** How fast the model speaks, 0.7 to 1.5. Default: 1. */
  readonly speed?: number
  /** Whether the model thinks before it answers. Default: the service's own, `high`. */
  readonly reasoning?: 'high' | 'none'
  readonly transcription?: XaiTranscription
  /** How the service detects the end of the user's turn. Ignored with manual turns. */
  readonly turnDetection?: XaiTurnDetection
  /** Fields of the service's own protocol, merged last into the first `session.update` of a connection: `{ replace: { … } }`. */
  readonly extra?: Extra
}

const optionNames: OptionNames<XaiRealtimeOptions> = {
  apiKey: true,
  url: true,
  name: true,
  model: true,
  voice: true,
  speed: true,
  reasoning: true,
  transcription: true,
  turnDetection: true,
  extra: true,
}

const transcriptionNames: OptionNames<XaiTranscription> = { language: true, keywords: true }
const turnDetectionNames: OptionNames<XaiTurnDetection> = {
  threshold: true,
  prefix: true,
  silence: true,
  idleTimeout: true,
}

/** Throws if there is an option that is unknown. */
export function checkXaiOptions(options: XaiRealtimeOptions): void {
  checkOptions('XaiRealtime', options, optionNames)
  const { transcription, turnDetection } = options
  if (transcription) checkOptions('XaiRealtime: transcription', transcription, transcriptionNames)
  if (turnDetection) checkOptions('XaiRealtime: turnDetection', turnDetection, turnDetectionNames)
}
