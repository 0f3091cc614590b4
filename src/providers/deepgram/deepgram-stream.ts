import { bytesOf, durationOf, lengthOf, level, type AudioFrame } from '../../audio/index.ts'
import {
  Link,
  type Data,
  type EndClass,
  type LinkConnection,
  type LinkEnd,
  type LinkError,
  type Protocol,
} from '../../link/index.ts'
import type { PartContext, Stt, SttEvents, SttSetup, SttStream } from '../../parts/index.ts'
import { noop, type SocketEnd } from '../../scope/index.ts'
import { CallerSpeech } from '../caller-speech.ts'
import { TranscriptEmitter } from '../transcript-emitter.ts'
import { readMessage, receiveMessage } from '../vendor-message.ts'
import { checkDeepgram, control, type DeepgramMessage, type Results } from './deepgram-messages.ts'
import { detailsOf } from './transcript-details.ts'

/** Deepgram closes a connection after 10 s without a message from the client. */
const KEEP_ALIVE = 4_000
/** The time limit for the last results after `CloseStream`; the same as a session's default `lastWordsTimeout`. */
const LAST_RESULTS_TIMEOUT = 2_000
/** In dBFS. Louder audio may be speech and wakes a sleeping link. */
const SPEECH_LEVEL = -50

/**
 * One audio stream over a link.
 *
 *   push ──▶ audio        ──▶ SpeechStarted     ──▶ started
 *                         ──▶ Results           ──▶ interim, final with its words
 *   flush ─▶ Finalize     ──▶ Results           ──▶ final
 *   detach ▶ CloseStream  ──▶ Results, Metadata ──▶ final; Metadata acknowledges the end
 *
 * After a drop, the new connection continues with new audio. Audio sent before the drop is not sent again: its words
 * have already been emitted.
 */
export class DeepgramStream implements SttStream, Protocol {
  readonly name: string
  readonly request: Protocol['request']
  readonly keepAlive = { every: KEEP_ALIVE, frame: () => control('KeepAlive') }
  readonly ending = {
    frames: () => [control('CloseStream')],
    answer: (data: Data) => this.#handleWhileClosing(readMessage(data, checkDeepgram)),
    within: LAST_RESULTS_TIMEOUT,
  }
  readonly #endsTurns: boolean
  #setup: SttSetup
  readonly #events: SttEvents
  readonly #transcripts: TranscriptEmitter
  readonly #callerSpeech = new CallerSpeech()
  #context: PartContext | undefined
  #link: Link | undefined
  /** Milliseconds of audio so far, and of those before the current connection. */
  #pushed = 0
  #offset = 0
  /** Milliseconds of audio since usage was last emitted. Audio that the service does not get is not charged. */
  #uncharged = 0
  /** Whether a final transcript was emitted since the last end of turn. */
  #hasFinal = false
  #asleep = false
  #detached = false
  /** Whether `Metadata`, the last message of a connection, has arrived. */
  #acknowledged = false

  /** `request` dials with the setup as it is at that time. */
  constructor(
    stt: Stt,
    setup: SttSetup,
    events: SttEvents,
    request: (setup: SttSetup) => ReturnType<Protocol['request']>,
  ) {
    this.name = stt.name
    this.#setup = setup
    const ask = (): ReturnType<typeof request> => request(this.#setup)
    this.request = ask
    this.#endsTurns = stt.endsTurns ?? false
    this.#events = events
    this.#transcripts = new TranscriptEmitter(events)
  }

  async open(context: PartContext): Promise<SttStream> {
    this.#context = context
    this.#link = await Link.open(context, this)
    return this
  }

  // ── SttStream ──

  push(frame: AudioFrame): void {
    // Deepgram takes an empty frame as the end of the stream.
    if (this.#detached || lengthOf(frame) === 0) return
    this.#link?.sendAudio(bytesOf(frame, this.#setup.format))
    this.#pushed += durationOf(frame)
    if (this.#callerSpeech.push(frame)) this.#link?.expectAnswer()
    if (this.#asleep && level(frame.samples) >= SPEECH_LEVEL) {
      this.#asleep = false
      this.#link?.wake()
    }
    if (!this.#asleep) this.#uncharged += durationOf(frame)
  }

  flush(): void {
    if (!this.#detached && !this.#asleep) this.#link?.send(control('Finalize'))
  }

  /** The service takes key terms only when it is dialled: they apply from the next connection on. */
  configure(change: Pick<SttSetup, 'keyTerms'>): void {
    this.#setup = { ...this.#setup, ...change }
  }

  detach(): void {
    if (this.#detached || !this.#link) return
    this.#detached = true
    this.#charge()
    this.#context?.scope.end(this.#link).catch(noop)
  }

  // ── Protocol ──

  message(data: Data, connection: LinkConnection): void {
    const message = receiveMessage(data, checkDeepgram, connection)
    if (message) this.#handle(message)
  }

  classify({ code, reason }: SocketEnd): EndClass | undefined {
    return code === 1011 && reason?.includes('NET-0001') ? 'idle' : undefined
  }

  lost(end: LinkEnd): void {
    // The next connection will not hear this audio, so the interim transcript becomes the final one.
    if (this.#transcripts.finish()) this.#hasFinal = true
    this.#asleep = end.class === 'idle'
    this.#offset = this.#pushed
  }

  failed(error: LinkError): void {
    this.#events.failed(error)
  }

  // ── messages ──

  #handle(message: DeepgramMessage): void {
    if (message.type === 'Results') this.#results(message)
    else if (message.type === 'SpeechStarted') this.#events.started()
    else if (message.type === 'UtteranceEnd') this.#paused()
  }

  /** Returns true for `Metadata`, which acknowledges the end. */
  #handleWhileClosing(message: DeepgramMessage | undefined): boolean {
    if (!message || this.#acknowledged) return false
    this.#handle(message)
    this.#acknowledged = message.type === 'Metadata'
    return this.#acknowledged
  }

  #results({ is_final, speech_final, channel }: Results): void {
    const best = channel?.alternatives?.[0] ?? {}
    const { transcript: text = '' } = best
    if (is_final) this.#charge()
    if (!is_final) this.#transcripts.interim(text)
    else if (this.#transcripts.final(text, detailsOf(best, this.#offset))) this.#hasFinal = true
    if (speech_final) this.#paused()
  }

  #charge(): void {
    const audioSeconds = this.#uncharged / 1_000
    this.#uncharged = 0
    if (audioSeconds > 0) this.#events.usage({ audioSeconds })
  }

  #paused(): void {
    if (!this.#endsTurns || !this.#hasFinal) return
    this.#hasFinal = false
    this.#events.endOfTurn()
  }
}
