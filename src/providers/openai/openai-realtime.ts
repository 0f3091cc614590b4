import type { Protocol } from '../../link/index.ts'
import type {
  PartContext,
  Realtime,
  RealtimeEvents,
  RealtimeModel,
  RealtimeSetup,
} from '../../parts/index.ts'
import { checkOptions, type OptionNames } from '../../scope/index.ts'
import type { Extra } from '../extra.ts'
import { ModelEndWarning } from '../model-ends.ts'
import { formats } from './audio-format.ts'
import { OpenAIEndpoint, endpointNames, type OpenAIEndpointOptions } from './endpoint.ts'
import type { RealtimeDialect } from '../openai-realtime/dialect.ts'
import { checkServerEvent } from '../openai-realtime/events.ts'
import { OpenAIRealtimeModel } from '../openai-realtime/openai-realtime-model.ts'
import { checkModelOptions, modelNames, type OpenAIModelOptions } from './model-settings.ts'
import {
  TRANSCRIPTION_MODEL,
  agentSettings,
  checkTurnDetection,
  realtimeSettings,
  transcriptionNames,
  type OpenAINoiseReduction,
  type OpenAITranscription,
  type OpenAITurnDetection,
  type OpenAIVoice,
  type RealtimeConfig,
} from './session-config.ts'

export interface OpenAIRealtimeOptions extends OpenAIEndpointOptions, OpenAIModelOptions {
  /** The name in reports and logs. Default: `openai`. */
  readonly name?: string
  /** The model, or on Azure the name of the deployment. Default: `gpt-realtime-2.1`. */
  readonly model?: string
  /** A voice of the service, or `{ id }` for a custom one. Default: `marin`. */
  readonly voice?: OpenAIVoice
  /** How fast the model speaks, 0.25 to 1.5. Default: 1. */
  readonly speed?: number
  /**
   * How the user's speech is transcribed. With false it is not: the user's words are then missing from the session's
   * history, and from the conversation when it is carried over to a new connection.
   */
  readonly transcription?: OpenAITranscription | false
  /** How the service detects the end of the user's turn. Ignored with manual turns. Default: by silence. */
  readonly turnDetection?: OpenAITurnDetection
  /** Default: off. */
  readonly noiseReduction?: OpenAINoiseReduction
  /** Fields of the service's own protocol, merged last into the first `session.update` of a connection: `{ tracing: 'auto' }`. */
  readonly extra?: Extra
}

/** The model that is used unless another one is chosen. */
export const REALTIME_MODEL = 'gpt-realtime-2.1'

const optionNames: OptionNames<OpenAIRealtimeOptions> = {
  ...endpointNames,
  ...modelNames,
  name: true,
  model: true,
  voice: true,
  speed: true,
  transcription: true,
  turnDetection: true,
  noiseReduction: true,
  extra: true,
}

/**
 * OpenAI's realtime speech-to-speech models. When a session of the service ends after an hour, or its connection breaks,
 * the conversation is carried over to a new one, as far as it was heard.
 *
 * ```ts
 * const realtime = new OpenAIRealtime({ voice: 'cedar', turnDetection: { type: 'semantic' } })
 * const session = new Session({ agent, models: { realtime }, line })
 * ```
 */
export class OpenAIRealtime implements Realtime {
  readonly name: string
  readonly product: string | undefined
  readonly hears = formats
  readonly speaks = formats
  readonly writes = true
  readonly #request: Protocol['request']
  readonly #dialect: RealtimeDialect
  readonly #modelEnds: readonly ModelEndWarning[]

  /** Throws `MissingKeyError` without a key. */
  constructor(options: OpenAIRealtimeOptions = {}) {
    checkOptions('OpenAIRealtime', options, optionNames)
    const { transcription, turnDetection } = options
    if (transcription) checkOptions('OpenAIRealtime: transcription', transcription, transcriptionNames)
    if (turnDetection) checkTurnDetection('OpenAIRealtime', turnDetection)
    checkModelOptions('OpenAIRealtime', options)
    this.name = options.name ?? 'openai'
    const { model = REALTIME_MODEL } = options
    const endpoint = new OpenAIEndpoint(options)
    this.product = endpoint.vendor && `openai/${model}`
    this.#request = endpoint.dialRequest('/realtime', { model })
    const config: RealtimeConfig = {
      voice: options.voice ?? 'marin',
      speed: options.speed,
      transcription: options.transcription ?? {},
      turnDetection: options.turnDetection ?? { type: 'server' },
      noiseReduction: options.noiseReduction,
      model: options,
      extra: options.extra,
    }
    this.#dialect = {
      check: checkServerEvent,
      settings: (setup) => realtimeSettings(config, setup),
      agentSettings,
      transcribes: config.transcription !== false,
    }
    const models = [model, ...(transcription === false ? [] : [transcription?.model ?? TRANSCRIPTION_MODEL])]
    this.#modelEnds = models.map((each) => new ModelEndWarning(this.name, endpoint.vendor, each))
  }

  async open(context: PartContext, setup: RealtimeSetup, events: RealtimeEvents): Promise<RealtimeModel> {
    for (const end of this.#modelEnds) end.warn(context)
    const model = new OpenAIRealtimeModel(
      { name: this.name, request: this.#request, dialect: this.#dialect },
      context,
      setup,
      events,
    )
    return model.open()
  }
}
