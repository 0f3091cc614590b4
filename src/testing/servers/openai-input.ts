import { decodeAudio, rateOf } from './openai-audio.ts'
import { invalid } from './openai-error.ts'
import type { OpenAIServerEventBody } from './openai-events.ts'
import { isLive, type OpenAISession, type OpenAITurnDetection } from './openai-session-config.ts'
import { Ear, type EarEvents, type Understands, type Utterance } from './ear.ts'

/** Less audio than this cannot be committed, in milliseconds. */
const MIN_COMMIT = 100

/** How long semantic turn detection waits after an unfinished sentence, by eagerness. */
const SEMANTIC_PATIENCE = { low: 8000, medium: 4000, auto: 4000, high: 2000 }

/** How long it waits after a finished sentence. */
const FINISHED_PATIENCE = 300

/** Matches the end of an unfinished sentence. */
const UNFINISHED = /(\b(u+h*m+|u+h+|er+m*|and|but|so|or|because)|,|…|\.\.\.)\s*$/i

export interface OpenAIInputEvents {
  send(event: OpenAIServerEventBody): void
  newItem(): string
  /** Speech has started and interrupts the response. */
  interrupt(): void
  /** Words were recognised before their turn is complete. */
  heard(item: string, text: string): void
  /** A turn of the user is complete. */
  committed(item: string, utterance: Utterance, respond: boolean): void
}

/** The input audio buffer, with turn detection by energy. */
export class OpenAIInput {
  readonly #events: OpenAIInputEvents
  readonly #understands: Understands | undefined
  #session: OpenAISession
  #ear: Ear
  /** The item id of the current speech. */
  #item: string | undefined
  /** What a live model has recognised of the current word. */
  #word = ''

  constructor(session: OpenAISession, events: OpenAIInputEvents, understands: Understands | undefined) {
    this.#events = events
    this.#understands = understands
    this.#session = session
    this.#ear = this.#newEar()
    this.update(session)
  }

  update(session: OpenAISession): void {
    this.#session = session
    if (rateOf(session.audio.input.format) !== this.#ear.sampleRate) this.#ear = this.#newEar()
    const detection = session.audio.input.turn_detection
    const { threshold = 0.5, prefix_padding_ms = 300 } = detection?.type === 'server_vad' ? detection : {}
    this.#ear.threshold = threshold / 100
    this.#ear.prefix = detection ? prefix_padding_ms : Infinity
    this.#ear.patience = patienceOf.bind(undefined, detection)
  }

  append(base64: string): void {
    this.#ear.hear(decodeAudio(this.#session.audio.input.format, base64), this.#listening)
  }

  /** Hears this text, followed by silence. */
  hear(text: string): void {
    this.#ear.hearText(text, this.#listening)
  }

  commit(): void {
    const { held } = this.#ear
    if (held < MIN_COMMIT) {
      const message = `Error committing input audio buffer: buffer too small. Expected at least ${MIN_COMMIT}ms of audio, but buffer only has ${held.toFixed(2)}ms of audio.`
      throw invalid('input_audio_buffer_commit_empty', message)
    }
    this.#commit(this.#ear.take(), false)
  }

  clear(): void {
    this.#ear.clear()
    this.#item = undefined
    this.#word = ''
    this.#events.send({ type: 'input_audio_buffer.cleared' })
  }

  /** With manual turns, speech has no effect, except that a live model transcribes it at once. */
  get #listening(): EarEvents {
    const { turn_detection: detection, transcription } = this.#session.audio.input
    if (!detection && isLive(transcription?.model)) return { words: (text) => this.#heard(text) }
    if (!detection) return {}
    const { create_response = true, interrupt_response = true } = detection
    return {
      started: (at) => this.#started(at, interrupt_response),
      stopped: (at, utterance) => this.#stopped(at, utterance, create_response),
    }
  }

  #heard(text: string): void {
    this.#word += text
    const [words = ''] = this.#word.match(/^.*\S(?=\s)/) ?? []
    this.#sendWords(words)
  }

  #sendWords(text: string): void {
    if (text === '') return
    this.#word = this.#word.slice(text.length)
    this.#item ??= this.#events.newItem()
    this.#events.heard(this.#item, text)
  }

  #started(at: number, interrupts: boolean): void {
    this.#item = this.#events.newItem()
    const audio_start_ms = Math.max(0, at - this.#ear.prefix)
    this.#events.send({ type: 'input_audio_buffer.speech_started', audio_start_ms, item_id: this.#item })
    if (interrupts) this.#events.interrupt()
  }

  #stopped(at: number, utterance: Utterance, respond: boolean): void {
    const item_id = (this.#item ??= this.#events.newItem())
    this.#events.send({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: at, item_id })
    this.#commit(utterance, respond)
  }

  #commit(utterance: Utterance, respond: boolean): void {
    this.#sendWords(this.#word)
    const item = this.#item ?? this.#events.newItem()
    this.#item = undefined
    this.#events.committed(item, utterance, respond)
  }

  #newEar(): Ear {
    const sampleRate = rateOf(this.#session.audio.input.format)
    return new Ear({ sampleRate, understands: this.#understands })
  }
}

function patienceOf(detection: OpenAITurnDetection | null, words: string): number {
  if (!detection) return Infinity
  if (detection.type === 'server_vad') return detection.silence_duration_ms ?? 500
  return UNFINISHED.test(words) ? SEMANTIC_PATIENCE[detection.eagerness ?? 'auto'] : FINISHED_PATIENCE
}
