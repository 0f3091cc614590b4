import { durationOf, type AudioFrame } from '../audio/index.ts'
import {
  Link,
  type ConnectionReport,
  type Data,
  type EndClass,
  type LinkConnection,
  type LinkError,
  type Protocol,
} from '../link/index.ts'
import type { PartContext, Stt, SttEvents, SttSetup, SttStream, TranscribedWord } from '../parts/index.ts'
import { noop, type SocketEnd, type Timer } from '../scope/index.ts'
import { AudioChunker } from './audio-chunker.ts'
import { CallerSpeech } from './caller-speech.ts'
import { ProviderError } from './errors.ts'
import { TranscriptEmitter } from './transcript-emitter.ts'
import type { TurnDialect, TurnMessage } from './turn-dialect.ts'
import { readMessage, receiveMessage } from './vendor-message.ts'

/** The time limit for the last words after the end message; the same as a session's default `lastWordsTimeout`. */
const LAST_WORDS_TIMEOUT = 2_000
/** Milliseconds of audio that are queued while there is no connection. */
const MAX_QUEUED = 5_000
/** After this long without audio, silence is sent: a turn does not end while a vendor waits for more audio. */
const SILENCE_AFTER = 250
/** How long a turn may take to continue on a new connection after a drop; then it has ended. */
const CONTINUES_WITHIN = 2_000

/**
 * One audio stream, to a vendor that decides itself when the caller has finished.
 *
 *   push ──▶ audio in chunks ──▶ started, interim, maybe-ended, resumed, ended
 *   flush ─▶ flush           ──▶ ended
 *   detach ▶ end             ──▶ ended, terminated or a close
 *
 * After a drop, the new connection continues with new audio. The text of the interrupted turn becomes final. Its end is
 * emitted by the turn in which the caller goes on, or after a while if there is none.
 */
export class TurnStream<Message> implements SttStream, Protocol {
  readonly name: string
  readonly keepAlive = {
    every: SILENCE_AFTER,
    frame: () => this.#encode(this.#chunker.flush() ?? this.#chunker.silence),
  }
  readonly ending = {
    frames: () => [...this.#rest(), this.#dialect.end],
    answer: (data: Data) => this.#handleWhileClosing(readMessage(data, this.#dialect.check)),
    within: LAST_WORDS_TIMEOUT,
  }
  readonly queue: NonNullable<Protocol['queue']>
  readonly rollover: NonNullable<Protocol['rollover']>
  readonly #endsTurns: boolean
  readonly #dialect: TurnDialect<Message>
  readonly #events: SttEvents
  readonly #transcripts: TranscriptEmitter
  readonly #chunker: AudioChunker
  readonly #callerSpeech = new CallerSpeech()
  #setup: SttSetup
  #read: (message: Message) => TurnMessage
  #context: PartContext | undefined
  #link: Link | undefined
  #detached = false
  #terminated = false
  /** Whether the caller is in a turn. */
  #inTurn = false
  /** Whether a final transcript was emitted since the last end of turn. */
  #hasFinal = false
  /** The text with which `maybeEndOfTurn` was emitted, until the turn ends or goes on. */
  #maybeFinal: string | undefined
  /** The number of the last turn that has ended on this connection. */
  #lastTurn = -1
  /** Ends the turn that a drop interrupted. */
  #interrupted: Timer | undefined
  /** Milliseconds of audio pushed so far, when the current connection began, and when usage was last emitted. */
  #pushed = 0
  #connectionStart = 0
  #charged = 0
  /** Whether the vendor has not confirmed the last change of the setup, and whether it has changed since. */
  #configuring = false
  #changed = false

  constructor(stt: Stt, setup: SttSetup, events: SttEvents, dialect: TurnDialect<Message>) {
    this.name = stt.name
    this.#endsTurns = stt.endsTurns ?? false
    this.#setup = setup
    this.#events = events
    this.#dialect = dialect
    this.#read = dialect.reader()
    this.#transcripts = new TranscriptEmitter(events)
    this.#chunker = new AudioChunker(setup.format, dialect.chunk)
    this.queue = { audio: MAX_QUEUED / dialect.chunk }
    this.rollover = dialect.rollover ?? { order: 'new-first' }
  }

  async open(context: PartContext): Promise<SttStream> {
    this.#context = context
    const ended = (report: ConnectionReport): void => {
      this.#ended(report)
      context.ended(report)
    }
    this.#link = await Link.open({ ...context, ended }, this)
    return this
  }

  // ── SttStream ──

  push(frame: AudioFrame): void {
    if (this.#detached) return
    this.#pushed += durationOf(frame)
    for (const chunk of this.#chunker.push(frame)) this.#link?.sendAudio(this.#encode(chunk))
    if (this.#callerSpeech.push(frame)) this.#link?.expectAnswer()
  }

  flush(): void {
    const { flush } = this.#dialect
    if (this.#detached || flush === undefined) return
    for (const rest of this.#rest()) this.#link?.sendAudio(rest)
    this.#link?.send(flush)
  }

  configure(change: Pick<SttSetup, 'keyTerms'>): void {
    this.#setup = { ...this.#setup, ...change }
    if (this.#detached || !this.#dialect.configure) return
    if (this.#configuring) this.#changed = true
    else this.#sendSetup()
  }

  detach(): void {
    if (this.#detached || !this.#link) return
    this.#detached = true
    this.#context?.scope.end(this.#link).catch(noop)
  }

  /** The message with the audio that does not fill one; none if there is no such audio. */
  #rest(): Data[] {
    const rest = this.#chunker.flush()
    return rest ? [this.#encode(rest)] : []
  }

  #encode(audio: Uint8Array): Data {
    return this.#dialect.audio?.(audio) ?? audio
  }

  #sendSetup(): void {
    const message = this.#dialect.configure?.(this.#setup)
    if (message === undefined) return
    this.#configuring = this.#dialect.confirmsSetup === true
    this.#changed = false
    this.#link?.send(message)
  }

  // ── Protocol ──

  request(): ReturnType<Protocol['request']> {
    return this.#dialect.request(this.#setup)
  }

  /** The connection is ready when the vendor says so. */
  opened(): void {
    this.#read = this.#dialect.reader()
  }

  message(data: Data, connection: LinkConnection): void {
    const received = receiveMessage(data, this.#dialect.check, connection)
    if (!received) return
    const message = this.#read(received)
    if (message.type === 'ready') connection.ready()
    else if (message.type !== 'error') this.#handle(message)
    else if (message.ends) connection.end(message.ends, message.message)
    else
      this.#context?.logger.warn(
        { part: this.name, error: new ProviderError(this.name, message.message) },
        'the service reported an error',
      )
  }

  classify(end: SocketEnd): EndClass | undefined {
    return this.#dialect.classify?.(end)
  }

  lost(): void {
    this.#lastTurn = -1
    this.#configuring = false
    this.#connectionStart = this.#pushed
    this.#inTurn = false
    if (this.#transcripts.finish()) this.#hasFinal = true
    if (!this.#hasFinal) return
    this.#interrupted?.clear()
    const name = `turn of '${this.name}' after a drop`
    this.#interrupted = this.#context?.scope.after(CONTINUES_WITHIN, name, () => this.#endTurn())
  }

  failed(error: LinkError): void {
    this.#interrupted?.clear()
    this.#events.failed(error)
  }

  /** The last connection has ended. What the vendor has not made final will not become final any more. */
  #ended({ how }: ConnectionReport): void {
    this.#interrupted?.clear()
    if (!this.#detached && how !== 'acknowledged' && how !== 'closed') return
    this.#transcripts.finish()
    this.#charge()
  }

  // ── messages ──

  /** Returns true for the message that acknowledges the end. */
  #handleWhileClosing(received: Message | undefined): boolean {
    if (!received || this.#terminated) return false
    const message = this.#read(received)
    this.#handle(message)
    const last = this.#dialect.endsWithTurn ? ['ended', 'error'] : ['terminated']
    this.#terminated = last.includes(message.type)
    return this.#terminated
  }

  #handle(message: TurnMessage): void {
    switch (message.type) {
      case 'ready':
      case 'terminated':
      case 'error':
      case 'ignored':
        return
      case 'configured':
        this.#configuring = false
        if (this.#changed) this.#sendSetup()
        return
      case 'ended':
        // A vendor may repeat the end of a turn.
        if (message.turn === undefined ? this.#inTurn : message.turn > this.#lastTurn) this.#end(message)
        return
      case 'started':
      case 'interim':
      case 'maybe-ended':
      case 'resumed':
        // Nor is a turn that has ended corrected later.
        if ((message.turn ?? Infinity) > this.#lastTurn) this.#progress(message)
    }
  }

  #progress(message: TurnProgress): void {
    this.#inTurn = true
    this.#interrupted?.clear()
    switch (message.type) {
      case 'started':
        return this.#events.started()
      case 'resumed':
        return this.#resume()
      case 'interim':
        // Some vendors do not say that the caller goes on, but send more text.
        if (message.text !== this.#maybeFinal) this.#resume()
        return this.#transcripts.interim(message.text)
      case 'maybe-ended':
        this.#transcripts.interim(message.text)
        if (!this.#endsTurns || this.#maybeFinal === message.text) return undefined
        this.#maybeFinal = message.text
        return this.#events.maybeEndOfTurn()
    }
  }

  #resume(): void {
    if (this.#maybeFinal === undefined) return
    this.#maybeFinal = undefined
    this.#events.resumed()
  }

  #end({ turn = -1, text, details = {} }: TurnEnd): void {
    this.#lastTurn = turn
    this.#inTurn = false
    const { words } = details
    const shifted = words ? { ...details, words: words.map((word) => this.#shift(word)) } : details
    if (this.#transcripts.final(text, shifted)) this.#hasFinal = true
    this.#endTurn()
  }

  /** Words are timed from the start of the stream, not of the connection. */
  #shift(word: TranscribedWord): TranscribedWord {
    const { start, end } = word
    return { ...word, start: this.#connectionStart + start, end: this.#connectionStart + end }
  }

  #endTurn(): void {
    const hadFinal = this.#hasFinal
    this.#hasFinal = false
    this.#interrupted?.clear()
    this.#interrupted = undefined
    this.#charge()
    // A turn without words was noise.
    if (!hadFinal || !this.#endsTurns) return this.#resume()
    this.#maybeFinal = undefined
    return this.#events.endOfTurn()
  }

  #charge(): void {
    const audioSeconds = (this.#pushed - this.#charged) / 1_000
    this.#charged = this.#pushed
    if (audioSeconds > 0) this.#events.usage({ audioSeconds })
  }
}

type TurnProgress = Extract<TurnMessage, { readonly type: 'started' | 'interim' | 'maybe-ended' | 'resumed' }>
type TurnEnd = Extract<TurnMessage, { readonly type: 'ended' }>
