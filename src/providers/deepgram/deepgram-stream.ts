import { bytesFromSamples, level, type AudioFrame } from '../../audio/index.ts'
import {
  Link,
  type Data,
  type EndClass,
  type LinkConnection,
  type LinkEnd,
  type LinkError,
  type Protocol,
} from '../../link/index.ts'
import type { PartContext, Stt, SttEvents, SttStream } from '../../parts/index.ts'
import { noop, type SocketEnd } from '../../scope/index.ts'
import { jsonIn } from '../json-message.ts'
import { control, type DeepgramMessage, type Results } from './deepgram-messages.ts'

/** The connection is closed after 10 s without a word from us. */
const KEEP_ALIVE = 4_000
/** How long the last words are waited for, as long as a session does. */
const LAST_WORDS = 2_000
/** Louder than this may be speech, in dB of full scale: reason enough to wake up. */
const SPEECH = -50

/**
 * One stream of speech, over a link.
 *
 *   push ──▶ audio        ──▶ Results           ──▶ interim, final
 *   flush ─▶ Finalize     ──▶ Results           ──▶ final
 *   detach ▶ CloseStream  ──▶ Results, Metadata ──▶ final, and the end is acknowledged
 *
 * A new connection goes on with the audio that comes: what was said before a drop has been told, and is not repeated.
 */
export class DeepgramStream implements SttStream, Protocol {
  readonly name: string
  readonly request: Protocol['request']
  readonly keepAlive = { every: KEEP_ALIVE, frame: () => control('KeepAlive') }
  readonly ending = {
    frames: () => [control('CloseStream')],
    answer: (data: Data) => this.#last(jsonIn(data) as DeepgramMessage | undefined),
    within: LAST_WORDS,
  }
  readonly #endsTurns: boolean
  readonly #events: SttEvents
  #context: PartContext | undefined
  #link: Link | undefined
  /** Words that were told, and are not final. */
  #interim = ''
  /** Final words have been told since the last turn ended. */
  #said = false
  #asleep = false
  /** No audio comes any more. */
  #detached = false
  /** Everything was told. */
  #over = false

  constructor(stt: Stt, request: Protocol['request'], events: SttEvents) {
    this.name = stt.name
    this.request = request
    this.#endsTurns = stt.endsTurns ?? false
    this.#events = events
  }

  async open(context: PartContext): Promise<SttStream> {
    this.#context = context
    this.#link = await Link.open(context, this)
    return this
  }

  // ── the stream ──

  push(frame: AudioFrame): void {
    // An empty frame would be read as the end.
    if (this.#detached || frame.samples.length === 0) return
    this.#link?.sendAudio(bytesFromSamples(frame.samples))
    if (!this.#asleep || level(frame.samples) < SPEECH) return
    this.#asleep = false
    this.#link?.wake()
  }

  flush(): void {
    if (!this.#detached && !this.#asleep) this.#link?.send(control('Finalize'))
  }

  detach(): void {
    if (this.#detached || !this.#link) return
    this.#detached = true
    this.#context?.scope.end(this.#link).catch(noop)
  }

  // ── the protocol ──

  message(data: Data, connection: LinkConnection): void {
    const message = jsonIn(data) as DeepgramMessage | undefined
    if (message) this.#tell(message)
    else connection.end('dropped', 'it sent something that is no JSON')
  }

  classify({ code, reason }: SocketEnd): EndClass | undefined {
    return code === 1011 && reason?.includes('NET-0001') ? 'idle' : undefined
  }

  lost(end: LinkEnd): void {
    // Nobody else will make them final.
    this.#final(this.#interim)
    this.#asleep = end.class === 'idle'
  }

  failed(error: LinkError): void {
    this.#events.failed(error)
  }

  // ── what is heard ──

  #tell(message: DeepgramMessage): void {
    if (message.type === 'Results') this.#results(message)
    else if (message.type === 'UtteranceEnd') this.#paused()
  }

  /** The same while closing. Returns true for the last message there is. */
  #last(message: DeepgramMessage | undefined): boolean {
    if (!message || this.#over) return false
    this.#tell(message)
    this.#over = message.type === 'Metadata'
    return this.#over
  }

  #results({ is_final, speech_final, channel }: Results): void {
    const text = channel?.alternatives?.[0]?.transcript ?? ''
    if (is_final) this.#final(text)
    else this.#guess(text)
    if (speech_final) this.#paused()
  }

  #guess(text: string): void {
    if (text === this.#interim) return
    this.#interim = text
    this.#events.interim(text)
  }

  #final(text: string): void {
    // Nothing, after all: the guess is taken back.
    if (text === '') return this.#guess('')
    this.#interim = ''
    this.#said = true
    return this.#events.final(text)
  }

  #paused(): void {
    if (!this.#endsTurns || !this.#said) return
    this.#said = false
    this.#events.endOfTurn()
  }
}
