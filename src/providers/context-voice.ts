import {
  Link,
  type Data,
  type EndClass,
  type LinkConnection,
  type LinkError,
  type Protocol,
} from '../link/index.ts'
import type { AudioFormat } from '../audio/index.ts'
import type { PartContext, SpokenChunk, Voice } from '../parts/index.ts'
import { iterate, type SocketEnd } from '../scope/index.ts'
import type { ContextDialect, ContextMessage } from './context-dialect.ts'
import { ContextSlots } from './context-slots.ts'
import { ContextSpeech } from './context-speech.ts'
import { ProviderError } from './errors.ts'
import { OwnedRequest } from './owned-request.ts'
import { hasWords } from './sound-limit.ts'
import { receiveMessage } from './vendor-message.ts'

/**
 * A voice over a link. Each speech has its own context; contexts share one connection.
 *
 *   text ───────▶ start, text ──▶ audio, words ──▶ chunks with their words
 *   end of text ▶ end         ──▶ rest, done
 *   abort ──────▶ cancel      ──▶ later messages of the context are ignored
 */
export class ContextVoice<Message> implements Voice, Protocol {
  readonly name: string
  readonly request: Protocol['request']
  /** A speech fails when its connection is silent, and the next speech gets a new one. */
  readonly timing: { readonly answer: number }
  readonly #context: PartContext
  readonly #format: AudioFormat
  readonly #dialect: ContextDialect<Message>
  /** Unfinished speeches, by context id. */
  readonly #speeches = new Map<string, ContextSpeech>()
  readonly #slots: ContextSlots | undefined
  #link: Link | undefined
  #contexts = 0
  /** Set when the link has failed for good. */
  #error: LinkError | undefined

  constructor(name: string, context: PartContext, format: AudioFormat, dialect: ContextDialect<Message>) {
    const { request, stallTimeout, maxContexts } = dialect
    this.name = name
    this.request = request
    this.timing = { answer: stallTimeout }
    this.#format = format
    this.#context = context
    this.#dialect = dialect
    const expired = (id: string): void => this.#expired(id)
    if (maxContexts !== undefined)
      this.#slots = new ContextSlots(maxContexts, context.scope, { confirmWithin: stallTimeout, expired })
  }

  async open(): Promise<Voice> {
    this.#link = await Link.open(this.#context, this)
    return this
  }

  // ── Voice ──

  async *speak(text: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<SpokenChunk> {
    const { scope } = this.#context
    const request = new OwnedRequest(`speech of '${this.name}'`, scope, signal)
    const speech = new ContextSpeech(this.name, scope, {
      format: this.#format,
      stallTimeout: this.#dialect.stallTimeout,
    })
    try {
      if (this.#error) throw this.#error
      scope.spawn(`text for '${this.name}'`, () => this.#feed(speech, text, request))
      yield* iterate(speech.chunks, request)
    } finally {
      request.end()
      this.#cancel(speech)
    }
  }

  async #feed(speech: ContextSpeech, text: AsyncIterable<string>, request: OwnedRequest): Promise<void> {
    try {
      let pending = ''
      const raw = iterate(text, request)
      for await (const piece of this.#dialect.pieces?.(raw) ?? raw) {
        // Vendors reject text that is only white space, so it is sent with the words that follow.
        pending += piece
        if (pending.trim() === '') continue
        if (!speech.started) await this.#start(speech, request)
        this.#say(speech, pending)
        pending = ''
      }
      if (speech.endText() && speech.context !== undefined) this.#sendEnd(speech.context)
    } catch (error) {
      speech.fail(error)
    }
  }

  /** Opens the speech's context, as soon as the vendor may have another one. */
  async #start(speech: ContextSpeech, request: OwnedRequest): Promise<void> {
    const context = speech.context ?? this.#nextContext()
    await this.#slots?.take(context, request)
    if (request.signal.aborted) this.#slots?.release(context)
    request.signal.throwIfAborted()
    if (this.#error) throw this.#error
    this.#startContext(speech, context)
  }

  #nextContext(): string {
    return `speech-${++this.#contexts}`
  }

  #startContext(speech: ContextSpeech, context: string): void {
    speech.startContext(context)
    this.#speeches.set(context, speech)
    this.#slots?.add(context)
    const start = this.#dialect.start?.(context)
    if (start !== undefined) this.#link?.send(start)
  }

  #say(speech: ContextSpeech, text: string): void {
    const { context } = speech
    // The speech has ended already.
    if (context === undefined || !this.#speeches.has(context)) return
    speech.addText(text)
    this.#sendText(context, text)
  }

  #sendText(context: string, text: string): void {
    this.#link?.send(this.#dialect.text(context, text))
    // A piece without words may become nothing.
    if (hasWords(text)) this.#link?.expectAnswer()
  }

  /** All text was sent: the rest of the audio and `done` must follow. */
  #sendEnd(context: string): void {
    for (const each of this.#dialect.end(context)) this.#link?.send(each)
    this.#link?.expectAnswer()
  }

  /** Cancels the speech unless it has ended. */
  #cancel(speech: ContextSpeech): void {
    speech.clearStallTimer()
    const { context } = speech
    if (context === undefined || !this.#speeches.delete(context) || !speech.started) return
    this.#slots?.cancel(context)
    for (const each of this.#dialect.cancel(context, speech.ended)) this.#link?.send(each)
    // A vendor with one context must confirm the end of its audio before the next speech.
    if (this.#dialect.binary) this.#link?.expectAnswer()
  }

  /** The vendor has not confirmed a cancel. If its audio names no context, only a new connection separates the speeches. */
  #expired(context: string): void {
    if (this.#dialect.binary) this.#link?.rollOver()
    else this.#slots?.release(context)
  }

  // ── Protocol ──

  opened(connection: LinkConnection): void {
    if (!this.#dialect.announcesReady) connection.ready()
  }

  message(data: Data, connection: LinkConnection): void {
    if (typeof data !== 'string' && this.#dialect.binary)
      return this.#received({ context: this.#dialect.binary(), audio: data }, connection)
    const message = receiveMessage(data, this.#dialect.check, connection)
    if (message) this.#received(this.#dialect.read(message), connection)
  }

  #received(message: ContextMessage, connection: LinkConnection): void {
    const { ready, ends, error } = message
    if (ready) return connection.ready()
    this.#handle(message)
    if (ends) return connection.end(this.#judge(ends) ?? ends, error?.message)
    // A speech whose text is complete is owed the rest of its audio.
    for (const { ended } of this.#speeches.values()) if (ended) this.#link?.expectAnswer()
  }

  #handle(message: ContextMessage): void {
    const { context = '', done, error } = message
    if (done || error) this.#slots?.release(context)
    if (this.#speeches.get(context)?.handle(message)) this.#speeches.delete(context)
    else if (error && context === '')
      this.#context.logger.warn(
        { part: this.name, error: new ProviderError(this.name, error.message) },
        'the service reported an error that belongs to no speech',
      )
  }

  /** A connection that is closed between speeches is not needed until the next speech. */
  classify(end: SocketEnd): EndClass | undefined {
    return this.#judge(this.#dialect.classify(end))
  }

  #judge<Class extends EndClass>(ends: Class | undefined): Class | 'dropped' | undefined {
    return ends === 'idle' && this.#speeches.size > 0 ? 'dropped' : ends
  }

  /** Restarts the speeches without audio so far. Speeches with audio cannot be continued and fail. */
  lost(): void {
    const speeches = [...this.#speeches.values()]
    this.#speeches.clear()
    this.#slots?.clear()
    for (const speech of speeches) {
      if (speech.failed) continue
      if (speech.audible) {
        const broken = 'the connection broke in the middle of a speech'
        speech.fail(new ProviderError(this.name, broken, { retryable: true }))
        continue
      }
      const context = this.#nextContext()
      this.#startContext(speech, context)
      for (const piece of speech.pieces) this.#sendText(context, piece)
      if (speech.ended) this.#sendEnd(context)
    }
  }

  failed(error: LinkError): void {
    this.#error = error
    for (const speech of this.#speeches.values()) speech.fail(error)
    this.#speeches.clear()
    this.#slots?.clear()
  }
}
