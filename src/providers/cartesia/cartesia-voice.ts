import {
  Link,
  type Data,
  type EndClass,
  type LinkConnection,
  type LinkError,
  type Protocol,
} from '../../link/index.ts'
import type { AudioFormat } from '../../audio/index.ts'
import type { PartContext, SpokenChunk, Voice } from '../../parts/index.ts'
import { iterate, type SocketEnd } from '../../scope/index.ts'
import { ProviderError } from '../errors.ts'
import { OwnedRequest } from '../owned-request.ts'
import { hasWords } from '../sound-limit.ts'
import { receiveMessage } from '../vendor-message.ts'
import { checkCartesia, type Cancel, type Generation, type VoiceSettings } from './cartesia-messages.ts'
import { CartesiaSpeech } from './cartesia-speech.ts'

export interface CartesiaVoiceOptions {
  readonly request: Protocol['request']
  readonly settings: VoiceSettings
  readonly format: AudioFormat
  readonly stallTimeout: number
}

/**
 * A voice over a link. Each speech has its own context; contexts share one connection.
 *
 *   text ───────▶ pieces, continue: true       ──▶ chunks, timestamps ──▶ audio with its words
 *   end of text ▶ empty piece, continue: false ──▶ done
 *   abort ──────▶ cancel                       ──▶ later messages of the context are ignored
 */
export class CartesiaVoice implements Voice, Protocol {
  readonly name: string
  readonly request: Protocol['request']
  /** A speech fails when its connection is silent, and the next speech gets a new one. */
  readonly timing: { readonly answer: number }
  readonly #context: PartContext
  readonly #options: CartesiaVoiceOptions
  /** Unfinished speeches, by context id. */
  readonly #speeches = new Map<string, CartesiaSpeech>()
  #link: Link | undefined
  #contexts = 0
  /** Set when the link has failed for good. */
  #error: LinkError | undefined

  constructor(name: string, context: PartContext, options: CartesiaVoiceOptions) {
    this.name = name
    this.request = options.request
    this.timing = { answer: options.stallTimeout }
    this.#context = context
    this.#options = options
  }

  async open(): Promise<Voice> {
    this.#link = await Link.open(this.#context, this)
    return this
  }

  // ── Voice ──

  async *speak(text: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<SpokenChunk> {
    const { scope } = this.#context
    const request = new OwnedRequest(`speech of '${this.name}'`, scope, signal)
    const speech = new CartesiaSpeech(this.name, scope, this.#options)
    try {
      if (this.#error) throw this.#error
      scope.spawn(`text for '${this.name}'`, () => this.#feed(speech, text, request))
      yield* iterate(speech.chunks, request)
    } finally {
      request.end()
      this.#cancel(speech)
    }
  }

  async #feed(speech: CartesiaSpeech, text: AsyncIterable<string>, request: OwnedRequest): Promise<void> {
    try {
      let pending = ''
      for await (const piece of iterate(text, request)) {
        // Cartesia rejects text that is only white space, so it is sent with the words that follow.
        pending += piece
        if (pending.trim() === '') continue
        this.#say(speech, pending)
        pending = ''
      }
      if (speech.endText()) this.#send(speech, '', false)
    } catch (error) {
      speech.fail(error)
    }
  }

  #say(speech: CartesiaSpeech, text: string): void {
    if (speech.context === undefined) this.#startContext(speech)
    speech.addText(text)
    this.#send(speech, text, true)
  }

  #startContext(speech: CartesiaSpeech): void {
    const context = `speech-${++this.#contexts}`
    speech.startContext(context)
    this.#speeches.set(context, speech)
  }

  /** Cancels the speech unless it has ended. */
  #cancel(speech: CartesiaSpeech): void {
    speech.clearStallTimer()
    const { context } = speech
    if (context === undefined || !this.#speeches.delete(context)) return
    const cancel: Cancel = { context_id: context, cancel: true }
    this.#link?.send(JSON.stringify(cancel))
  }

  #send(speech: CartesiaSpeech, transcript: string, more: boolean): void {
    const { context } = speech
    // The speech has ended already, or never started.
    if (context === undefined || !this.#speeches.has(context)) return
    const { settings } = this.#options
    const generation: Generation = { ...settings, context_id: context, transcript, continue: more }
    this.#link?.send(JSON.stringify(generation))
    // Words become audio, and the end of the text `done`. A piece without words may become nothing.
    if (!more || hasWords(transcript)) this.#link?.expectAnswer()
  }

  // ── Protocol ──

  message(data: Data, connection: LinkConnection): void {
    const message = receiveMessage(data, checkCartesia, connection)
    if (!message) return
    const { context_id: context = '' } = message
    if (this.#speeches.get(context)?.handle(message)) this.#speeches.delete(context)
    else if (message.type === 'error' && context === '')
      this.#context.logger.warn(
        { part: this.name, error: new ProviderError(this.name, message.message) },
        'the service reported an error that belongs to no speech',
      )
    // A speech whose text is complete is owed the rest of its audio.
    for (const { ended } of this.#speeches.values()) if (ended) this.#link?.expectAnswer()
  }

  /** A connection that is closed between speeches is not needed until the next speech. */
  classify({ how, code }: SocketEnd): EndClass | undefined {
    return how === 'closed' && code === 1000 && this.#speeches.size === 0 ? 'idle' : undefined
  }

  /** Restarts the speeches without audio so far. Speeches with audio cannot be continued and fail. */
  lost(): void {
    const speeches = [...this.#speeches.values()]
    this.#speeches.clear()
    for (const speech of speeches) {
      if (speech.failed) continue
      if (speech.audible) {
        const broken = 'the connection broke in the middle of a speech'
        speech.fail(new ProviderError(this.name, broken, { retryable: true }))
        continue
      }
      this.#startContext(speech)
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
