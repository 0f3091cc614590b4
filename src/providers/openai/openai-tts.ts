import { pcm } from '../../audio/index.ts'
import type { PartContext, SentenceTtsOptions, Tts, Voice } from '../../parts/index.ts'
import { sentenceTts } from '../../parts/index.ts'
import { withExtra, type Extra } from '../extra.ts'
import { OpenAIEndpoint, endpointNames, type OpenAIEndpointOptions } from './endpoint.ts'
import { RATE } from './session-config.ts'
import { SpeechRequest, type SpeechBody } from './speech-request.ts'
import { checkOptions, type OptionNames } from '../../scope/index.ts'

export interface OpenAITtsOptions extends OpenAIEndpointOptions {
  /** The name in reports and logs. Default: `openai-tts`. */
  readonly name?: string
  /** Default: `gpt-4o-mini-tts`. */
  readonly model?: string
  /** Default: `alloy`. */
  readonly voice?: string
  /** How the voice should sound: `'Speak calmly.'` */
  readonly instructions?: string
  /** 0.25 to 4. Default: 1. */
  readonly speed?: number
  /** How the text is split into sentences, and how many are synthesised ahead. */
  readonly sentences?: SentenceTtsOptions
  /** How long a sentence may go without new audio before it fails. Default: 10 s. */
  readonly stallTimeout?: number
  /** Fields of the service's own protocol, merged last into the body of every request. */
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

/**
 * OpenAI's speech over HTTP, one request per sentence; the next sentence is requested while one plays. Audio starts with
 * the first sentence, and little is wasted when a speech is interrupted.
 *
 * ```ts
 * const tts = new OpenAITts({ voice: 'coral', instructions: 'Speak calmly.' })
 * ```
 */
export class OpenAITts implements Tts {
  readonly name: string
  readonly speaks = [pcm(RATE)]
  readonly #endpoint: OpenAIEndpoint
  readonly #body: Omit<SpeechBody, 'input'>
  readonly #sentences: SentenceTtsOptions
  readonly #stallTimeout: number

  /** Throws `MissingKeyError` without a key. */
  constructor(options: OpenAITtsOptions = {}) {
    checkOptions('OpenAITts', options, optionNames)
    const { instructions, speed } = options
    this.name = options.name ?? 'openai-tts'
    this.#endpoint = new OpenAIEndpoint(options)
    const body: Omit<SpeechBody, 'input'> = {
      model: options.model ?? 'gpt-4o-mini-tts',
      voice: options.voice ?? 'alloy',
      response_format: 'pcm',
      ...(instructions === undefined ? {} : { instructions }),
      ...(speed === undefined ? {} : { speed }),
    }
    this.#body = withExtra(body, options.extra)
    this.#sentences = options.sentences ?? {}
    this.#stallTimeout = options.stallTimeout ?? 10_000
  }

  open(context: PartContext): Promise<Voice> {
    const { name } = this
    const speech = new SpeechRequest({
      name,
      context,
      url: this.#endpoint.httpUrl('/audio/speech'),
      headers: () => this.#endpoint.headers(),
      body: this.#body,
      stallTimeout: this.#stallTimeout,
    })
    return sentenceTts(
      { name, sampleRate: RATE, synthesise: (sentence, signal) => speech.speak(sentence, signal) },
      this.#sentences,
    ).open(context, { format: this.speaks[0]! })
  }
}
