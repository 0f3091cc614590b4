import { Framer, concat, rms, silence, type AudioFrame, type SampleRate } from '../../audio/index.ts'
import { SoundReader, soundOf } from '../sound-text.ts'

export interface EarOptions {
  readonly sampleRate: SampleRate
  /** Transcribes a sound. Default: `textOf`. */
  readonly understands?: Understands | undefined
}

/** Transcribes a sound. */
export type Understands = (sound: AudioFrame) => string

export interface Utterance {
  readonly text: string
  /** In milliseconds. */
  readonly duration: number
}

/** `at` is the position in the audio stream, in milliseconds. */
export interface EarEvents {
  started?(at: number): void
  /** Speech has ended with this utterance, which the ear no longer holds. */
  stopped?(at: number, utterance: Utterance): void
  /** More text, as soon as it is recognised; only without a custom `understands`. */
  words?(text: string): void
}

const BLOCK = 10
const MS_PER_CHARACTER = 50

/**
 * The speech recognition of a vendor's server: speech starts with sound and ends with silence. Time is that of the audio,
 * not of a clock: a client that sends nothing is not silent.
 */
export class Ear {
  readonly sampleRate: SampleRate
  /** The RMS level from which sound counts as speech, 0 to 1 of full scale. Default: -46 dBFS. */
  threshold = 0.005
  /** Milliseconds of silence after which speech with these words ends. With `Infinity` only `take()` ends it. */
  patience: (words: string) => number = () => 500
  /** Milliseconds of audio before the speech that belong to it. */
  prefix = 300
  readonly #understands: Understands | undefined
  readonly #framer: Framer
  #reader = new SoundReader()
  #kept: AudioFrame[] = []
  #words = ''
  #speaking = false
  #quiet = 0
  #blocks = 0

  constructor({ sampleRate, understands }: EarOptions) {
    this.sampleRate = sampleRate
    this.#understands = understands
    this.#framer = new Framer({ sampleRate, duration: BLOCK })
  }

  get speaking(): boolean {
    return this.#speaking
  }

  /** Milliseconds of audio in the buffer. */
  get held(): number {
    return this.#kept.length * BLOCK + this.#framer.remainder
  }

  hear(samples: Int16Array, events: EarEvents = {}): void {
    for (const frame of this.#framer.push(samples)) this.#block(frame, events)
  }

  /** Hears this text, followed by enough silence to end the speech if silence does. */
  hearText(text: string, events: EarEvents = {}): void {
    this.hear(soundOf(text, this.sampleRate, MS_PER_CHARACTER).samples, events)
    const patience = this.patience(text)
    if (patience < Infinity) this.hear(silence(patience + BLOCK, this.sampleRate).samples, events)
  }

  /** Ends the speech here, and returns and clears the buffer. */
  take(): Utterance {
    const duration = this.held
    const rest = this.#framer.flush()
    if (rest) this.#keep(rest)
    return { ...this.#utterance(), duration }
  }

  /** Clears the buffer. */
  clear(): void {
    this.#framer.clear()
    this.#forget()
  }

  #block(frame: AudioFrame, events: EarEvents): void {
    this.#blocks++
    const words = this.#keep(frame)
    if (words) events.words?.(words)
    this.#quiet = rms(frame.samples) >= this.threshold ? 0 : this.#quiet + BLOCK
    if (this.#quiet === 0 && !this.#speaking) {
      this.#speaking = true
      events.started?.((this.#blocks - 1) * BLOCK)
    }
    if (this.#speaking && this.#quiet >= this.patience(this.#words)) {
      events.stopped?.(this.#blocks * BLOCK, this.#utterance())
    }
    if (!this.#speaking && this.#kept.length * BLOCK > this.prefix) this.#kept.shift()
  }

  #keep(frame: AudioFrame): string {
    this.#kept.push(frame)
    const text = this.#understands ? '' : this.#reader.push(frame.samples)
    this.#words += text
    return text
  }

  #utterance(): Utterance {
    const duration = this.#kept.length * BLOCK
    const text = this.#understands?.(concat(this.#kept, this.sampleRate)) ?? this.#words
    this.#forget()
    return { text: text.trim(), duration }
  }

  #forget(): void {
    this.#reader = new SoundReader()
    this.#kept = []
    this.#words = ''
    this.#speaking = false
    this.#quiet = 0
  }
}
