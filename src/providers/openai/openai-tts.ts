import type { PartContext, SentenceTtsOptions, SoundSetup, Tts, Voice } from '../../parts/index.ts'
import { sentenceTts } from '../../parts/index.ts'
import type { Extra } from '../extra.ts'
import { checkOptions, type OptionNames } from '../../scope/index.ts'
import { ModelEndWarning } from '../model-ends.ts'
import { formats } from './audio-format.ts'
import { OpenAIEndpoint, endpointNames, type OpenAIEndpointOptions } from './endpoint.ts'
import { OpenAISpeaker, type SpeakerOptions } from './openai-speaker.ts'
import type { OpenAIVoice } from './session-config.ts'

export interface OpenAITtsOptions extends OpenAIEndpointOptions {
  /** The name in reports and logs. Default: `openai-tts`. */
  readonly name?: string
  /** A realtime model, or on Azure the name of its deployment. Default: `gpt-realtime-2.1-mini`. */
  readonly model?: string
  /** A voice of the service, or `{ id }` for a custom one. Default: `marin`. */
  readonly voice?: OpenAIVoice
  /** How the voice should sound: `'Speak calmly.'` */
  readonly instructions?: string
  /** 0.25 to 1.5. Default: 1. */
  readonly speed?: number
  /** How the text is split into sentences, and how many are synthesised ahead. */
  readonly sentences?: SentenceTtsOptions
  /** How long a sentence may go without new audio before it fails. Default: 10 s. */
  readonly stallTimeout?: number
  /** Fields of the service's own protocol, merged last into the `session.update` of a connection. */
  readonly extra?: Extra
}

const optionNames: OptionNames<OpenAITtsOptions> = {
  ...endpointNames,
  name: true,
  model: true,
  voice: true,
  instructions: true,
  speed: true,
  sentences: true,
  stallTimeout: true,
  extra: true,
}

/** The model that is used unless another one is chosen. */
export const SPEECH_MODEL = 'gpt-realtime-2.1-mini'

/**
 * OpenAI's speech: a realtime model reads sentence by sentence, all over one connection. It is a language model, and may
 * in rare cases answer a sentence in place of reading it; the log then has a warning.
 *
 * ```ts
 * const tts = new OpenAITts({ voice: 'cedar', instructions: 'Speak calmly.' })
 * ```
 */
export class OpenAITts implements Tts {
  readonly name: string
  readonly product: string | undefined
  readonly speaks = formats
  readonly #options: Omit<SpeakerOptions, 'name' | 'format'>
  readonly #sentences: SentenceTtsOptions
  readonly #modelEnd: ModelEndWarning

  /** Throws `MissingKeyError` without a key. */
  constructor(options: OpenAITtsOptions = {}) {
    checkOptions('OpenAITts', options, optionNames)
    const { model = SPEECH_MODEL, instructions, speed } = options
    this.name = options.name ?? 'openai-tts'
    const endpoint = new OpenAIEndpoint(options)
    this.product = endpoint.vendor && `openai/${model}`
    this.#modelEnd = new ModelEndWarning(this.name, endpoint.vendor, model)
    this.#options = {
      request: endpoint.dialRequest('/realtime', { model }),
      voice: options.voice ?? 'marin',
      instructions,
      speed,
      extra: options.extra,
      stallTimeout: options.stallTimeout ?? 10_000,
    }
    this.#sentences = options.sentences ?? {}
  }

  async open(context: PartContext, { format = this.speaks[0]! }: Partial<SoundSetup> = {}): Promise<Voice> {
    const { name } = this
    const { sampleRate } = format
    this.#modelEnd.warn(context)
    const speaker = new OpenAISpeaker({ name, format, ...this.#options }, context)
    await speaker.open()
    return sentenceTts(
      { name, sampleRate, synthesise: (sentence, signal) => speaker.speak(sentence, signal) },
      this.#sentences,
    ).open(context, { format })
  }
}
