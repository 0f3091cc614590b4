import { asSampleRate, samplesFromBytes } from '../../audio/index.ts'
import { Ear, type EarEvents, type Understands, type Utterance } from './ear.ts'
import type { GeminiRealtimeInput, GeminiSetup } from './gemini-messages.ts'

/** What the client is heard at, unless it says otherwise. */
const RATE = 16_000

/** What the input tells its session. */
export interface GeminiInputEvents {
  /** The user has begun to speak. */
  started(): void
  heard(text: string): void
  /** The user has finished, and said this. */
  said(text: string): void
  /** The client has sent what it may not. */
  invalid(reason: string): void
}

/** Realtime input: sound with the vendor's turn detection, or between `activityStart` and `activityEnd`. */
export class GeminiInput {
  readonly #events: GeminiInputEvents
  readonly #understands: Understands | undefined
  readonly #automatic: boolean
  readonly #silence: number
  #ear: Ear | undefined
  #active = false
  /** Of the word that is being said. */
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
    if (text !== undefined) this.#type(text)
    if (audioStreamEnd) this.#flush()
    if (activityStart || activityEnd) this.#mark(activityStart !== undefined)
  }

  /** The same, for a test that has no sound: somebody says this and stops. */
  hear(text: string): void {
    this.#earFor(RATE).hearText(text, this.#listening)
  }

  #hear(data: string, mimeType: string): void {
    if (!mimeType.startsWith('audio/')) return
    const ear = this.#earFor(Number(/rate=(\d+)/.exec(mimeType)?.[1] ?? RATE))
    if (this.#automatic || this.#active)
      ear.hear(samplesFromBytes(Buffer.from(data, 'base64')), this.#listening)
  }

  /** What follows from what is heard: less, where the client takes the turns. */
  get #listening(): EarEvents {
    const words = (text: string): void => this.#makeOut(text)
    if (!this.#automatic) return { words }
    return {
      words,
      started: () => this.#events.started(),
      stopped: (_, utterance) => this.#said(utterance),
    }
  }

  /** Transcribes whole words, with the space after them. */
  #makeOut(text: string): void {
    this.#word += text
    if (!/\s$/.test(this.#word)) return
    this.#events.heard(this.#word)
    this.#word = ''
  }

  #type(text: string): void {
    this.#events.started()
    this.#events.said(text)
  }

  /** The microphone is off: what was being said is all. */
  #flush(): void {
    if (this.#ear?.speaking) this.#said(this.#ear.take())
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
    else if (this.#ear) this.#said(this.#ear.take())
  }

  #said({ text }: Utterance): void {
    // A custom ear makes words out at the end alone.
    const last = this.#understands ? text : this.#word
    this.#word = ''
    if (last) this.#events.heard(last)
    this.#events.said(text)
  }

  #earFor(rate: number): Ear {
    const sampleRate = asSampleRate(rate)
    if (this.#ear?.sampleRate === sampleRate) return this.#ear
    const ear = new Ear({ sampleRate, understands: this.#understands })
    ear.patience = () => (this.#automatic ? this.#silence : Infinity)
    if (!this.#automatic) ear.prefix = Infinity
    this.#ear = ear
    return ear
  }
}
