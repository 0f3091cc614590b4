import { durationOf, type AudioFrame, type SampleRate } from '../../audio/index.ts'
import { soundOf } from '../sound-text.ts'
import { audioChunks } from './audio-chunks.ts'
import type { ElevenLabsAlignment, ElevenLabsEvent } from './elevenlabs-events.ts'
import type { ServerConnection } from './server-connection.ts'
import { SpeechSteps } from './speech-steps.ts'
import type { VoiceManners, VoiceRudeness } from './voice-server.ts'

/**
 * - `never done`: never sends `isFinal`, and counts closed contexts for ever
 * - `fails`: reports an error after the first audio of a context, and closes the connection
 * - `snake case`: writes `context_id` and `is_final`
 */
export type ElevenLabsRudeness = VoiceRudeness | 'snake case'

export interface ElevenLabsManners extends VoiceManners<ElevenLabsRudeness> {
  /** Where times are counted from. */
  readonly times: 'chunk' | 'context'
}

/** The session that a context belongs to. */
export interface ElevenLabsContextHost {
  readonly connection: ServerConnection
  readonly manners: ElevenLabsManners
  readonly sampleRate: SampleRate
  /** Whether each text is spoken at once. */
  readonly autoMode: boolean
  readonly aligned: boolean
  /** In the format that the client wants. */
  encode(samples: Int16Array): Uint8Array
  send(event: ElevenLabsEvent): void
  /** Reports an error and closes the connection. */
  fail(error: string, message: string, code?: number): void
}

/** Without `auto_mode`, shorter texts wait for more: the first entry of the default `chunk_length_schedule`. */
const MIN_TEXT = 120

/** One context: its text and its speech. */
export class ElevenLabsContext {
  readonly #id: string
  readonly #session: ElevenLabsContextHost
  readonly #ended: () => void
  readonly #steps: SpeechSteps
  /** Text that waits for more. */
  #buffer = ''
  #flushed = true
  /** Milliseconds of audio so far. */
  #duration = 0

  constructor(id: string, session: ElevenLabsContextHost, ended: () => void) {
    this.#id = id
    this.#session = session
    this.#ended = ended
    this.#steps = new SpeechSteps(session.connection, session.manners, () => this.#breaks())
  }

  add(text: string): void {
    this.#buffer += text
    this.#flushed = false
    if (this.#session.autoMode || this.#buffer.length >= MIN_TEXT) this.#speak()
  }

  flush(): void {
    this.#speak()
    this.#flushed = true
  }

  /** Ends the context. Text that was flushed is still spoken; the rest is dropped. */
  close(): void {
    const { rude } = this.#session.manners
    if (!this.#flushed && !rude.has('talks on')) this.#steps.clear()
    if (!rude.has('never done')) this.#steps.push({ send: () => this.#final() })
  }

  #speak(): void {
    const { manners, sampleRate } = this.#session
    const text = this.#buffer
    this.#buffer = ''
    if (manners.rude.has('mute')) return
    let at = 0
    for (const chunk of audioChunks(soundOf(text, sampleRate, manners.msPerCharacter))) {
      const end = at + Math.round(durationOf(chunk) / manners.msPerCharacter)
      const part = text.slice(at, end)
      this.#steps.push({ audio: true, send: () => this.#sendAudio(chunk, part) })
      at = end
    }
  }

  #sendAudio(frame: AudioFrame, text: string): void {
    const { times, msPerCharacter } = this.#session.manners
    const start = times === 'context' ? this.#duration : 0
    this.#duration += durationOf(frame)
    const alignment: ElevenLabsAlignment = {
      chars: text.split(''),
      charStartTimesMs: text.split('').map((_, index) => start + index * msPerCharacter),
      charDurationsMs: text.split('').map(() => msPerCharacter),
    }
    this.#session.send({
      audio: Buffer.from(this.#session.encode(frame.samples)).toString('base64'),
      contextId: this.#id,
      ...(this.#session.aligned ? { alignment, normalizedAlignment: alignment } : {}),
    })
  }

  #final(): void {
    this.#ended()
    this.#session.send({ isFinal: true, contextId: this.#id })
  }

  /** Misbehaves after the first audio. */
  #breaks(): boolean {
    const { connection, manners } = this.#session
    if (manners.rude.has('drops mid-context')) connection.drop()
    else if (manners.rude.has('fails')) this.#session.fail('internal_error', 'the voice broke', 1011)
    else return false
    return true
  }
}
