import {
  Link,
  type Data,
  type EndClass,
  type LinkConnection,
  type LinkError,
  type Protocol,
} from '../../link/index.ts'
import { type PartContext, type SpokenChunk, type Tts, type Voice } from '../../parts/index.ts'
import { iterate, type SocketEnd } from '../../scope/index.ts'
import { ProviderError } from '../errors.ts'
import { jsonIn } from '../json-message.ts'
import { OwnedRequest } from '../owned-request.ts'
import type { Cancel, CartesiaMessage, Generation, VoiceSettings } from './cartesia-messages.ts'
import { CartesiaSpeech } from './cartesia-speech.ts'

export interface CartesiaVoiceOptions {
  readonly request: Protocol['request']
  readonly settings: VoiceSettings
  readonly stallTimeout: number
}

/**
 * A voice over a link. Each speech is a context of its own, and many share the connection.
 *
 *   text ──▶ pieces, continue: true ──▶ chunks, timestamps ──▶ sound with its words
 *   its end ▶ nothing, continue: false ──▶ done
 *   abort ─▶ cancel                   ──▶ what still comes of it belongs to nobody, and is dropped
 */
export class CartesiaVoice implements Voice, Protocol {
  readonly name: string
  readonly request: Protocol['request']
  readonly #tts: Tts
  readonly #context: PartContext
  readonly #options: CartesiaVoiceOptions
  /** Those in the making, by the id of their context. */
  readonly #speeches = new Map<string, CartesiaSpeech>()
  #link: Link | undefined
  #connection: LinkConnection | undefined
  /** When the last message came, whatever it was about. */
  #heardAt = 0
  #contexts = 0
  /** The link is gone for good. */
  #error: LinkError | undefined

  constructor(tts: Tts, context: PartContext, options: CartesiaVoiceOptions) {
    this.name = tts.name
    this.request = options.request
    this.#tts = tts
    this.#context = context
    this.#options = options
  }

  async open(): Promise<Voice> {
    this.#link = await Link.open(this.#context, this)
    return this
  }

  // ── the voice ──

  async *speak(text: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<SpokenChunk> {
    const { scope } = this.#context
    const request = new OwnedRequest(`speech of '${this.name}'`, scope, signal)
    const speech = new CartesiaSpeech(this.#tts, scope, {
      stallTimeout: this.#options.stallTimeout,
      stalled: () => this.#stalled(),
    })
    try {
      if (this.#error) throw this.#error
      scope.spawn(`text for '${this.name}'`, () => this.#feed(speech, text, request))
      yield* iterate(speech.chunks, request)
    } finally {
      request.end()
      this.#leave(speech)
    }
  }

  async #feed(speech: CartesiaSpeech, text: AsyncIterable<string>, request: OwnedRequest): Promise<void> {
    try {
      let space = ''
      for await (const piece of iterate(text, request)) {
        // Nothing but space is refused: it goes with the words that follow.
        space += piece
        if (space.trim() === '') continue
        this.#say(speech, space)
        space = ''
      }
      if (speech.ends()) this.#send(speech, '', false)
    } catch (error) {
      speech.fail(error)
    }
  }

  #say(speech: CartesiaSpeech, words: string): void {
    if (speech.context === undefined) this.#enter(speech)
    speech.said(words)
    this.#send(speech, words, true)
  }

  #enter(speech: CartesiaSpeech): void {
    const context = `speech-${++this.#contexts}`
    speech.begins(context)
    this.#speeches.set(context, speech)
  }

  /** Nobody listens any more. */
  #leave(speech: CartesiaSpeech): void {
    speech.over()
    const { context } = speech
    if (context === undefined || !this.#speeches.delete(context)) return
    const cancel: Cancel = { context_id: context, cancel: true }
    this.#link?.send(JSON.stringify(cancel))
  }

  #send(speech: CartesiaSpeech, transcript: string, more: boolean): void {
    const { context } = speech
    // It is over already, or was never begun.
    if (context === undefined || !this.#speeches.has(context)) return
    const { settings } = this.#options
    const generation: Generation = { ...settings, context_id: context, transcript, continue: more }
    this.#link?.send(JSON.stringify(generation))
  }

  /** If nothing else came either, nothing will: the next speech should have another connection. */
  #stalled(): void {
    const silentFor = this.#context.scope.clock.now() - this.#heardAt
    if (silentFor >= this.#options.stallTimeout) this.#connection?.end('dropped', 'it said nothing any more')
  }

  // ── the protocol ──

  opened(connection: LinkConnection): void {
    this.#connection = connection
    connection.ready()
  }

  message(data: Data, connection: LinkConnection): void {
    this.#heardAt = this.#context.scope.clock.now()
    const message = jsonIn(data) as CartesiaMessage | undefined
    if (!message) return connection.end('dropped', 'it sent something that is no JSON')
    const { context_id: context = '' } = message
    if (this.#speeches.get(context)?.heard(message)) this.#speeches.delete(context)
    else if (message.type === 'error' && context === '')
      this.#context.logger.warn(
        { part: this.name, error: message.message },
        'an error that is about no speech',
      )
    return undefined
  }

  /** A connection that is closed while nothing is spoken is not missed until something is. */
  classify({ how, code }: SocketEnd): EndClass | undefined {
    return how === 'closed' && code === 1000 && this.#speeches.size === 0 ? 'idle' : undefined
  }

  /** What nobody has heard anything of is said again; the rest cannot be continued. */
  lost(): void {
    const speeches = [...this.#speeches.values()]
    this.#speeches.clear()
    for (const speech of speeches) {
      if (speech.audible) {
        const broken = 'the connection broke in the middle of a speech'
        speech.fail(new ProviderError(this.name, broken, { retryable: true }))
        continue
      }
      this.#enter(speech)
      this.#send(speech, speech.text, true)
      if (speech.ended) this.#send(speech, '', false)
    }
  }

  failed(error: LinkError): void {
    this.#error = error
    for (const speech of this.#speeches.values()) speech.fail(error)
    this.#speeches.clear()
  }
}
