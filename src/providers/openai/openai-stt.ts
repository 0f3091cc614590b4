import { pcm } from '../../audio/index.ts'
import type { PartContext, Stt, SttEvents, SttStream } from '../../parts/index.ts'
import { checkOptions, type OptionNames } from '../../scope/index.ts'
import { withExtra, type Extra } from '../extra.ts'
import { OpenAIEndpoint, endpointNames, type OpenAIEndpointOptions } from './endpoint.ts'
import type { TranscriptionSettings } from './events.ts'
import { OpenAISttStream } from './openai-stt-stream.ts'
import {
  RATE,
  checkTurnDetection,
  transcriptionNames,
  transcriptionSettings,
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
  readonly hears = [pcm(RATE)]
  readonly endsTurns: boolean
  readonly #endpoint: OpenAIEndpoint
  readonly #settings: TranscriptionSettings

  /** Throws `MissingKeyError` without a key. */
  constructor(options: OpenAISttOptions = {}) {
    checkOptions('OpenAIStt', options, optionNames)
    if (options.turnDetection) checkTurnDetection('OpenAIStt', options.turnDetection)
    const { name = 'openai-stt', model, language, prompt, turnDetection = null, noiseReduction } = options
    this.name = name
    this.endsTurns = turnDetection !== null
    this.#endpoint = new OpenAIEndpoint(options)
    const transcription = {
      ...(model === undefined ? {} : { model }),
      ...(language === undefined ? {} : { language }),
      ...(prompt === undefined ? {} : { prompt }),
    }
    const settings = transcriptionSettings({ transcription, turnDetection, noiseReduction })
    this.#settings = withExtra(settings, options.extra)
  }

  async open(context: PartContext, events: SttEvents): Promise<SttStream> {
    const request = this.#endpoint.dialRequest('/realtime', { intent: 'transcription' })
    const stream = new OpenAISttStream({ stt: this, request, settings: this.#settings }, context, events)
    return stream.open()
  }
}
