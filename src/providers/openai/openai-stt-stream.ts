import { bytesFromSamples, durationOf, level, type AudioFrame } from '../../audio/index.ts'
import type { LinkError, Protocol } from '../../link/index.ts'
import type { PartContext, Stt, SttEvents, SttStream } from '../../parts/index.ts'
import {
  isTranscription,
  type ApiError,
  type ClientEvent,
  type ServerEvent,
  type TranscriptionSettings,
} from './events.ts'
import { OpenAILink, type OpenAILinkHost } from './openai-link.ts'
import { Transcripts } from './transcripts.ts'

/** Less sound than this, in milliseconds, cannot be committed. */
const LEAST_COMMIT = 100
/** Louder than this may be speech, in dB of full scale. Out of silence some models make words. */
const SPEECH = -50
/** The id of the last event: whatever answers it is an answer. */
const LAST = 'last'

/** What a stream is opened with. */
export interface SttStreamOptions {
  readonly stt: Stt
  readonly request: Protocol['request']
  readonly settings: TranscriptionSettings
}

/**
 * One stream of speech, over a link.
 *
 *   push ──▶ append           ──▶ (with turn detection: speech_started, speech_stopped, committed)
 *   flush ─▶ commit           ──▶ committed, transcription deltas, completed ──▶ interim, final
 *   detach ▶ commit, or clear ──▶ committed …, or cleared: the end is acknowledged when all words are there
 *
 * A new connection goes on with the audio that comes: what was understood before is told, and not repeated.
 */
export class OpenAISttStream implements SttStream, OpenAILinkHost {
  readonly #options: SttStreamOptions
  readonly #events: SttEvents
  readonly #link: OpenAILink
  readonly #transcripts: Transcripts
  /** Milliseconds of sound since the last commit, and whether any of it may be speech. */
  #uncommitted = 0
  #loud = false
  /** The service hears somebody speak. */
  #speaking = false
  #interim = ''
  #detached = false
  /** The last event is answered. */
  #answered = false

  constructor(options: SttStreamOptions, context: PartContext, events: SttEvents) {
    const { stt, request } = options
    this.#options = options
    this.#events = events
    this.#link = new OpenAILink(stt.name, request, context, this)
    this.#transcripts = new Transcripts({
      interim: (text) => this.#guess(text),
      final: (text) => this.#final(text),
      failed: ({ code }) =>
        context.logger.warn({ link: stt.name, code }, 'what the user said could not be written down'),
    })
  }

  async open(): Promise<SttStream> {
    await this.#link.open()
    return this
  }

  // ── the stream ──

  push(frame: AudioFrame): void {
    if (this.#detached || frame.samples.length === 0) return
    this.#link.sendAudio(bytesFromSamples(frame.samples))
    this.#uncommitted += durationOf(frame)
    this.#loud ||= level(frame.samples) > SPEECH
  }

  flush(): void {
    if (this.#detached || !this.#flushable) return
    this.#link.attempt({ type: 'input_audio_buffer.commit' })
    this.#committed()
  }

  detach(): void {
    if (this.#detached) return
    this.#detached = true
    this.#link.end()
  }

  /** Where the service finds the turns, there is something to flush only while it hears one. */
  get #flushable(): boolean {
    return this.#options.stt.endsTurns ? this.#speaking : this.#uncommitted >= LEAST_COMMIT
  }

  #committed(): void {
    this.#uncommitted = 0
    this.#loud = false
    this.#speaking = false
  }

  // ── the link ──

  settings(): TranscriptionSettings {
    return this.#options.settings
  }

  heard(event: ServerEvent): void {
    if (isTranscription(event)) this.#transcripts.heard(event)
    else if (event.type === 'input_audio_buffer.speech_started') this.#speaking = true
    else if (event.type === 'input_audio_buffer.committed') {
      if (this.#options.stt.endsTurns) this.#committed()
      this.#transcripts.expect(event.item_id)
    }
  }

  /** What was heard and not written down is lost; what was understood of it counts. */
  disconnected(): void {
    this.#committed()
    this.#transcripts.giveUp()
  }

  failed(error: LinkError): void {
    this.#detached = true
    this.#events.failed(error)
  }

  quiet(): boolean {
    return !this.#speaking && !this.#loud && this.#transcripts.size === 0
  }

  /** Either is answered at once, so that the end can be acknowledged. */
  lastFrames(): readonly ClientEvent[] {
    const words = this.#flushable && (this.#loud || this.#speaking)
    return [{ type: `input_audio_buffer.${words ? 'commit' : 'clear'}`, event_id: LAST }]
  }

  heardLast(event: ServerEvent): boolean {
    this.heard(event)
    this.#answered ||=
      event.type === 'input_audio_buffer.committed' ||
      event.type === 'input_audio_buffer.cleared' ||
      (event.type === 'error' && isLast(event.error))
    return this.#answered && this.#transcripts.size === 0
  }

  // ── what is heard ──

  #guess(text: string): void {
    if (text === this.#interim) return
    this.#interim = text
    this.#events.interim(text)
  }

  #final(text: string): void {
    // Nothing, after all: the guess is taken back.
    if (text === '') return this.#guess('')
    this.#interim = ''
    this.#events.final(text)
    if (this.#options.stt.endsTurns) this.#events.endOfTurn()
    return undefined
  }
}

const isLast = (error: ApiError | undefined): boolean => error?.event_id === LAST
