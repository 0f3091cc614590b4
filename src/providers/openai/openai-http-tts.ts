import type { PartContext, SentenceTtsOptions, Tts, Voice } from '../../parts/index.ts'
import { sentenceTts } from '../../parts/index.ts'
import { ModelEndWarning } from '../model-ends.ts'
import { withExtra, type Extra } from '../extra.ts'
import { OpenAIEndpoint, endpointNames, type OpenAIEndpointOptions } from './endpoint.ts'
import { pcm } from '../../audio/index.ts'
import { RATE, SpeechRequest, type SpeechBody } from './speech-request.ts'
import { checkOptions, type OptionNames } from '../../scope/index.ts'

export interface OpenAIHttpTtsOptions extends OpenAIEndpointOptions {
  /** The name in reports and logs. Default: `openai-http-tts`. */
  readonly name?: string
  /** OpenAI's own models for this address end on 6 January 2027. */
  readonly model: string
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

const optionNames: OptionNames<OpenAIHttpTtsOptions> = {
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
 * Speech over HTTP from a service that is compatible with OpenAI's `/audio/speech`, one request per sentence; the next
 * sentence is requested while one plays. OpenAI itself ends this address on 6 January 2027: use `OpenAITts` there.
 *
 * ```ts
 * const tts = new OpenAIHttpTts({ url: 'http://localhost:8880/v1', apiKey: 'none', model: 'kokoro' })
 * ```
 */
export class OpenAIHttpTts implements Tts {
  readonly name: string
  readonly product: string | undefined
  readonly speaks = [pcm(RATE)]
  readonly #endpoint: OpenAIEndpoint
  readonly #body: Omit<SpeechBody, 'input'>
  readonly #sentences: SentenceTtsOptions
  readonly #stallTimeout: number
  readonly #modelEnd: ModelEndWarning

  /** Throws `MissingKeyError` without a key. */
  constructor(options: OpenAIHttpTtsOptions) {
    checkOptions('OpenAIHttpTts', options, optionNames)
    const { instructions, speed } = options
    this.name = options.name ?? 'openai-http-tts'
    this.#endpoint = new OpenAIEndpoint(options)
    this.product = this.#endpoint.vendor && `openai/${options.model}`
    this.#modelEnd = new ModelEndWarning(this.name, this.#endpoint.vendor, options.model)
    const body: Omit<SpeechBody, 'input'> = {
      model: options.model,
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
    this.#modelEnd.warn(context)
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
