import type {
  PartContext,
  Realtime,
  RealtimeEvents,
  RealtimeModel,
  RealtimeSetup,
} from '../../parts/index.ts'
import { OpenAIEndpoint, type OpenAIEndpointOptions } from './endpoint.ts'
import { OpenAIRealtimeModel } from './openai-realtime-model.ts'
import {
  RATE,
  type OpenAINoiseReduction,
  type OpenAITranscription,
  type OpenAITurnDetection,
  type RealtimeConfig,
} from './session-config.ts'

export interface OpenAIRealtimeOptions extends OpenAIEndpointOptions {
  /** How it is called in reports: `openai` unless set. */
  readonly name?: string
  /** `gpt-realtime` unless set; the name of the deployment for Azure. */
  readonly model?: string
  /** `marin` unless set. */
  readonly voice?: string
  /** How fast it speaks, 0.25 to 1.5: 1 unless set. */
  readonly speed?: number
  /**
   * How the user's words are written down. If false they are not: neither the history of the session has them, nor a
   * conversation that is carried over to a new connection.
   */
  readonly transcription?: OpenAITranscription | false
  /** How it notices that the user has finished: by silence unless set. Not used where turns are taken by hand. */
  readonly turnDetection?: OpenAITurnDetection
  /** None unless set. */
  readonly noiseReduction?: OpenAINoiseReduction
  /** For one answer; the service's own limit unless set. */
  readonly maxOutputTokens?: number
}

/**
 * OpenAI's realtime models: they hear and speak by themselves. A session of the service ends after an hour, and any
 * connection may break: the conversation is carried over, as far as it was heard.
 *
 * ```ts
 * const realtime = new OpenAIRealtime({ voice: 'cedar', turnDetection: { type: 'semantic' } })
 * const session = new Session({ agent, models: { realtime }, line })
 * ```
 */
export class OpenAIRealtime implements Realtime {
  readonly name: string
  readonly inputRate = RATE
  readonly outputRate = RATE
  readonly #endpoint: OpenAIEndpoint
  readonly #model: string
  readonly #config: RealtimeConfig

  /** Throws `MissingKeyError` if there is no key. */
  constructor(options: OpenAIRealtimeOptions = {}) {
    this.name = options.name ?? 'openai'
    this.#endpoint = new OpenAIEndpoint(options)
    this.#model = options.model ?? 'gpt-realtime'
    this.#config = {
      voice: options.voice ?? 'marin',
      speed: options.speed,
      transcription: options.transcription ?? {},
      turnDetection: options.turnDetection ?? { type: 'server' },
      noiseReduction: options.noiseReduction,
      maxOutputTokens: options.maxOutputTokens,
    }
  }

  async open(context: PartContext, setup: RealtimeSetup, events: RealtimeEvents): Promise<RealtimeModel> {
    const request = this.#endpoint.dials('/realtime', { model: this.#model })
    const model = new OpenAIRealtimeModel(
      { name: this.name, request, config: this.#config },
      context,
      setup,
      events,
    )
    return model.open()
  }
}
