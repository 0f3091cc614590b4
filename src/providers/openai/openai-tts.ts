import type { PartContext, SentenceTtsOptions, Tts, Voice } from '../../parts/index.ts'
import { sentenceTts } from '../../parts/index.ts'
import { OpenAIEndpoint, type OpenAIEndpointOptions } from './endpoint.ts'
import { RATE } from './session-config.ts'
import { SpeechRequest, type SpeechBody } from './speech-request.ts'

export interface OpenAITtsOptions extends OpenAIEndpointOptions {
  /** How it is called in reports: `openai-tts` unless set. */
  readonly name?: string
  /** `gpt-4o-mini-tts` unless set. */
  readonly model?: string
  /** `alloy` unless set. */
  readonly voice?: string
  /** How it should sound: `'Speak calmly.'` */
  readonly instructions?: string
  /** 0.25 to 4: 1 unless set. */
  readonly speed?: number
  /** How the text is cut into sentences, and how many are made ahead. */
  readonly sentences?: SentenceTtsOptions
  /** A sentence fails when nothing comes of it for so long: 10 s unless set. */
  readonly stallTimeout?: number
}

/**
 * OpenAI's speech over HTTP: one request a sentence, the next one on its way while the first plays. So sound begins as soon
 * as the first sentence is there, and a speech that is stopped has asked for little in vain.
 *
 * ```ts
 * const tts = new OpenAITts({ voice: 'coral', instructions: 'Speak calmly.' })
 * ```
 */
export class OpenAITts implements Tts {
  readonly name: string
  readonly sampleRate = RATE
  readonly #endpoint: OpenAIEndpoint
  readonly #body: Omit<SpeechBody, 'input'>
  readonly #sentences: SentenceTtsOptions
  readonly #stallTimeout: number

  /** Throws `MissingKeyError` if there is no key. */
  constructor(options: OpenAITtsOptions = {}) {
    const { instructions, speed } = options
    this.name = options.name ?? 'openai-tts'
    this.#endpoint = new OpenAIEndpoint(options)
    this.#body = {
      model: options.model ?? 'gpt-4o-mini-tts',
      voice: options.voice ?? 'alloy',
      response_format: 'pcm',
      ...(instructions === undefined ? {} : { instructions }),
      ...(speed === undefined ? {} : { speed }),
    }
    this.#sentences = options.sentences ?? {}
    this.#stallTimeout = options.stallTimeout ?? 10_000
  }

  open(context: PartContext): Promise<Voice> {
    const { name, sampleRate } = this
    const speech = new SpeechRequest({
      name,
      context,
      url: this.#endpoint.http('/audio/speech'),
      headers: () => this.#endpoint.headers(),
      body: this.#body,
      stallTimeout: this.#stallTimeout,
    })
    return sentenceTts(
      { name, sampleRate, synthesise: (sentence, signal) => speech.speak(sentence, signal) },
      this.#sentences,
    ).open(context)
  }
}
