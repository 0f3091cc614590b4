import { asSampleRate, samplesFromBytes } from '../../audio/index.ts'
import { Ear, type EarEvents, type Understands, type Utterance } from './ear.ts'
import type { GeminiRealtimeInput, GeminiSetup } from './gemini-messages.ts'

/** The default sample rate of the client's audio. */
const RATE = 16_000

export interface GeminiInputEvents {
  /** The user has started to speak. */
  started(): void
  /** A piece of the transcript. */
  transcribed(text: string): void
  /** The user has finished with this text. */
  finished(text: string): void
  /** The client's message is invalid. */
  invalid(reason: string): void
}

/** Realtime input with the vendor's turn detection, or with `activityStart` and `activityEnd`. */
export class GeminiInput {
  readonly #events: GeminiInputEvents
  readonly #understands: Understands | undefined
  readonly #automatic: boolean
  readonly #silence: number
  #ear: Ear | undefined
  #active = false
  /** The word that is not complete yet. */
  #word = ''

  constructor(setup: GeminiSetup, events: GeminiInputEvents, understands: Understands | undefined) {
    this.#events = events
    this.#understands = understands
    const { disabled = false, silenceDurationMs = 500 } =
      setup.realtimeInputConfig?.automaticActivityDetection ?? {}
    this.#automatic = !disabled
    this.#silence = silenceDurationMs
  }

  receive(input: GeminiRealtimeInput): void {
    const { audio, mediaChunks = [], text, audioStreamEnd, activityStart, activityEnd } = input
    for (const { data = '', mimeType = '' } of audio ? [audio] : mediaChunks) this.#hear(data, mimeType)
    if (text !== undefined) this.#addText(text)
    if (audioStreamEnd) this.#flush()
    if (activityStart || activityEnd) this.#mark(activityStart !== undefined)
  }

  /** Hears this text, followed by silence. */
  hear(text: string): void {
    this.#earFor(RATE).hearText(text, this.#listening)
  }

  #hear(data: string, mimeType: string): void {
    if (!mimeType.startsWith('audio/')) return
    const ear = this.#earFor(Number(/rate=(\d+)/.exec(mimeType)?.[1] ?? RATE))
    if (this.#automatic || this.#active)
      ear.hear(samplesFromBytes(Buffer.from(data, 'base64')), this.#listening)
  }

  /** With manual turns, speech is only transcribed. */
  get #listening(): EarEvents {
    const words = (text: string): void => this.#transcribe(text)
    if (!this.#automatic) return { words }
    return {
      words,
      started: () => this.#events.started(),
      stopped: (_, utterance) => this.#finish(utterance),
    }
  }

  /** Emits whole words, with the space after them. */
  #transcribe(text: string): void {
    this.#word += text
    if (!/\s$/.test(this.#word)) return
    this.#events.transcribed(this.#word)
    this.#word = ''
  }

  #addText(text: string): void {
    this.#events.started()
    this.#events.finished(text)
  }

  /** The microphone was turned off, which ends the current speech. */
  #flush(): void {
    if (this.#ear?.speaking) this.#finish(this.#ear.take())
  }

  #mark(start: boolean): void {
    if (this.#automatic) {
      return this.#events.invalid(
        'Explicit activity control is not supported when automatic activity detection is enabled.',
      )
    }
    if (start === this.#active) return
    this.#active = start
    if (start) this.#events.started()
    else if (this.#ear) this.#finish(this.#ear.take())
  }

  #finish({ text }: Utterance): void {
    // A custom transcription has no text before the end.
    const last = this.#understands ? text : this.#word
    this.#word = ''
    if (last) this.#events.transcribed(last)
    this.#events.finished(text)
  }

  #earFor(rate: number): Ear {
    const sampleRate = asSampleRate(rate)
    if (this.#ear?.sampleRate === sampleRate) return this.#ear
    const ear = new Ear({ sampleRate, understands: this.#understands })
    const patience = (): number => (this.#automatic ? this.#silence : Infinity)
    ear.patience = patience
    if (!this.#automatic) ear.prefix = Infinity
    this.#ear = ear
    return ear
  }
}
