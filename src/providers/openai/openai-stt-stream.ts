import { bytesOf, durationOf, lengthOf, level, type AudioFormat, type AudioFrame } from '../../audio/index.ts'
import type { LinkError, Protocol } from '../../link/index.ts'
import type { PartContext, Stt, SttEvents, SttSetup, SttStream } from '../../parts/index.ts'
import { CallerSpeech } from '../caller-speech.ts'
import { TranscriptEmitter } from '../transcript-emitter.ts'
import {
  isTranscriptionEvent,
  type ClientEvent,
  type ServerEvent,
  type TranscriptionSettings,
} from '../openai-realtime/events.ts'
import { OpenAILink, type OpenAILinkHost } from '../openai-realtime/openai-link.ts'
import { Transcripts } from '../openai-realtime/transcripts.ts'

/** The service refuses to commit less audio than this, in milliseconds. */
const MIN_COMMIT = 100
/** In dBFS. Only louder audio may be speech; some models invent words for silence. */
const SPEECH_LEVEL = -50
/** The id of the ending event, by which an error about it is recognised. */
const ENDING_EVENT = 'last'

export interface SttStreamOptions {
  readonly stt: Stt
  readonly request: Protocol['request']
  readonly format: AudioFormat
  readonly keyTerms: readonly string[]
  /** Returns the settings with the agent's key terms. */
  settings(keyTerms: readonly string[]): TranscriptionSettings
}

/**
 * One audio stream over a link.
 *
 *   push ──▶ append           ──▶ (with turn detection: speech_started, speech_stopped, committed)
 *   flush ─▶ commit           ──▶ committed, transcription deltas, completed ──▶ interim, final
 *                                 (a live model sends its deltas before the commit)
 *   detach ▶ commit, or clear ──▶ committed …, or cleared: acknowledged once all transcripts have arrived
 *
 * After a drop, the new connection continues with new audio. Audio sent before the drop is not sent again.
 */
export class OpenAISttStream implements SttStream, OpenAILinkHost {
  readonly #options: SttStreamOptions
  readonly #events: SttEvents
  readonly #link: OpenAILink
  readonly #transcripts: Transcripts
  readonly #emitter: TranscriptEmitter
  readonly #callerSpeech = new CallerSpeech()
  /** Milliseconds of audio since the last commit. */
  #uncommitted = 0
  /** Whether that audio may contain speech. */
  #loud = false
  /** Whether the service detects speech. */
  #speaking = false
  #detached = false
  #keyTerms: readonly string[]
  /** Whether the service has answered the ending event. */
  #endAnswered = false

  constructor(options: SttStreamOptions, context: PartContext, events: SttEvents) {
    const { stt, request } = options
    this.#options = options
    this.#keyTerms = options.keyTerms
    this.#events = events
    this.#emitter = new TranscriptEmitter(events)
    this.#link = new OpenAILink(stt.name, request, context, this)
    this.#transcripts = new Transcripts({
      interim: (text) => this.#emitter.interim(text),
      final: (text) => this.#emitFinal(text),
      failed: ({ code }) =>
        context.logger.warn({ link: stt.name, code }, "the service could not transcribe the user's turn"),
    })
  }

  async open(): Promise<SttStream> {
    await this.#link.open()
    return this
  }

  // ── SttStream ──

  push(frame: AudioFrame): void {
    if (this.#detached || lengthOf(frame) === 0) return
    this.#link.sendAudio(bytesOf(frame, this.#options.format))
    this.#uncommitted += durationOf(frame)
    this.#loud ||= level(frame.samples) > SPEECH_LEVEL
    if (this.#callerSpeech.push(frame) && this.#options.stt.endsTurns) this.#link.callerSpeaks()
  }

  flush(): void {
    if (this.#detached || !this.#flushable) return
    this.#link.attempt({ type: 'input_audio_buffer.commit' })
    this.#resetInput()
  }

  configure({ keyTerms }: Pick<SttSetup, 'keyTerms'>): void {
    this.#keyTerms = keyTerms
    if (!this.#detached) this.#link.send({ type: 'session.update', session: this.settings() })
  }

  detach(): void {
    if (this.#detached) return
    this.#detached = true
    this.#link.end()
  }

  /** A service that detects turns has something to flush only during one. */
  get #flushable(): boolean {
    return this.#options.stt.endsTurns ? this.#speaking : this.#uncommitted >= MIN_COMMIT
  }

  #resetInput(): void {
    this.#uncommitted = 0
    this.#loud = false
    this.#speaking = false
  }

  // ── OpenAILinkHost ──

  settings(): TranscriptionSettings {
    return this.#options.settings(this.#keyTerms)
  }

  handle(event: ServerEvent): void {
    if (isTranscriptionEvent(event)) this.#transcripts.handle(event)
    else if (event.type === 'input_audio_buffer.speech_started') this.#speaking = true
    else if (event.type === 'input_audio_buffer.committed') {
      if (this.#options.stt.endsTurns) this.#resetInput()
      this.#transcripts.expect(event.item_id)
    } else if (event.type === 'input_audio_buffer.cleared') this.#transcripts.finishUncommitted()
  }

  /** Audio that was not transcribed is lost. The text received so far becomes final. */
  disconnected(): void {
    this.#resetInput()
    this.#transcripts.finishAll()
  }

  failed(error: LinkError): void {
    this.#detached = true
    this.#events.failed(error)
  }

  expectsEvents(): boolean {
    return this.#transcripts.owed > 0
  }

  quiet(): boolean {
    return !this.#speaking && !this.#loud && this.#transcripts.size === 0
  }

  /** Both events are answered at once, which acknowledges the end. */
  endingEvents(): readonly ClientEvent[] {
    const commit = this.#flushable && (this.#loud || this.#speaking)
    return [{ type: `input_audio_buffer.${commit ? 'commit' : 'clear'}`, event_id: ENDING_EVENT }]
  }

  handleWhileClosing(event: ServerEvent): boolean {
    this.handle(event)
    this.#endAnswered ||=
      event.type === 'input_audio_buffer.committed' ||
      event.type === 'input_audio_buffer.cleared' ||
      (event.type === 'error' && event.error?.event_id === ENDING_EVENT)
    return this.#endAnswered && this.#transcripts.size === 0
  }

  #emitFinal(text: string): void {
    if (this.#emitter.final(text) && this.#options.stt.endsTurns) this.#events.endOfTurn()
  }
}
