import type { Protocol } from '../../link/index.ts'
import type { PartContext, Stt, SttEvents, SttSetup, SttStream } from '../../parts/index.ts'
import { checkOptions, type OptionNames } from '../../scope/index.ts'
import { withExtra, type Extra } from '../extra.ts'
import { ModelEndWarning } from '../model-ends.ts'
import { formats, wireFormatOf } from './audio-format.ts'
import { OpenAIEndpoint, endpointNames, type OpenAIEndpointOptions } from './endpoint.ts'
import type { TranscriptionSettings } from '../openai-realtime/events.ts'
import { OpenAISttStream } from './openai-stt-stream.ts'
import {
  LIVE_TRANSCRIPTION_MODEL,
  TRANSCRIPTION_MODEL,
  checkTurnDetection,
  transcriptionNames,
  transcriptionSettings,
  type InputConfig,
  type OpenAINoiseReduction,
  type OpenAITranscription,
  type OpenAITurnDetection,
} from './session-config.ts'

export interface OpenAISttOptions extends OpenAIEndpointOptions, OpenAITranscription {
  /** The name in reports and logs. Default: `openai-stt`. */
  readonly name?: string
  /**
   * Makes the service detect the end of each turn: a transcript is then final at the end of its turn, and `endsTurns` is
   * true. Default: off, the session's own VAD does it.
   */
  readonly turnDetection?: OpenAITurnDetection
  /** Default: off. */
  readonly noiseReduction?: OpenAINoiseReduction
  /** Fields of the service's own protocol, merged last into its `session.update`. */
  readonly extra?: Extra
}

const optionNames: OptionNames<OpenAISttOptions> = {
  ...endpointNames,
  ...transcriptionNames,
  name: true,
  turnDetection: true,
  noiseReduction: true,
  extra: true,
}

/**
 * OpenAI's streaming speech-to-text: a transcription session of its Realtime API.
 *
 * ```ts
 * const stt = new OpenAIStt({ language: 'en', prompt: 'Bright Dental' })
 * ```
 */
export class OpenAIStt implements Stt {
  readonly name: string
  readonly product: string | undefined
  readonly hears = formats
  readonly endsTurns: boolean
  readonly #request: Protocol['request']
  readonly #config: Omit<InputConfig, 'format'>
  readonly #modelEnd: ModelEndWarning
  readonly #extra: Extra | undefined

  /** Throws `MissingKeyError` without a key. */
  constructor(options: OpenAISttOptions = {}) {
    checkOptions('OpenAIStt', options, optionNames)
    if (options.turnDetection) checkTurnDetection('OpenAIStt', options.turnDetection)
    const { name = 'openai-stt', turnDetection = null, noiseReduction } = options
    const { model = turnDetection ? TRANSCRIPTION_MODEL : LIVE_TRANSCRIPTION_MODEL } = options
    this.name = name
    this.endsTurns = turnDetection !== null
    const endpoint = new OpenAIEndpoint(options)
    this.product = endpoint.vendor && `openai/${model}`
    this.#request = endpoint.dialRequest('/realtime', { intent: 'transcription' })
    this.#modelEnd = new ModelEndWarning(name, endpoint.vendor, model)
    this.#extra = options.extra
    this.#config = { transcription: { ...options, model }, turnDetection, noiseReduction }
  }

  async open(
    context: PartContext,
    events: SttEvents,
    { format = this.hears[0]!, keyTerms = [] }: Partial<SttSetup> = {},
  ): Promise<SttStream> {
    this.#modelEnd.warn(context)
    const settings = (terms: readonly string[]): TranscriptionSettings =>
      withExtra(transcriptionSettings({ ...this.#config, format: wireFormatOf(format) }, terms), this.#extra)
    const options = { stt: this, request: this.#request, format, keyTerms, settings }
    return new OpenAISttStream(options, context, events).open()
  }
}
