import { Framer, concat, rms, silence, type AudioFrame, type SampleRate } from '../../audio/index.ts'
import { SoundReader, soundOf } from '../sound-text.ts'

export interface EarOptions {
  readonly sampleRate: SampleRate
  /** What a sound says: read by `textOf` unless set. */
  readonly understands?: Understands | undefined
}

/** What a sound says. */
export type Understands = (sound: AudioFrame) => string

/** A stretch of sound that was heard. */
export interface Utterance {
  readonly text: string
  /** Milliseconds of sound. */
  readonly duration: number
}

/** What an ear notices, with the position in the stream of sound, in milliseconds. */
export interface EarEvents {
  started?(at: number): void
  /** Speech has ended, and this was it. The ear has forgotten it. */
  stopped?(at: number, utterance: Utterance): void
  /** More of the words, as soon as they can be made out; only where no `understands` was given. */
  words?(text: string): void
}

const BLOCK = 10
const MS_PER_CHARACTER = 50

/**
 * How a vendor's server hears: speech begins with sound and ends with a silence, and its words are read out of it. Time
 * is that of the sound, not of a clock: a client that sends nothing is not silent, it is not heard.
 */
export class Ear {
  readonly sampleRate: SampleRate
  /** How loud speech is, 0 to 1 of full scale; the default is -46 dBFS. */
  threshold = 0.005
  /** Milliseconds of silence that end a speech with these words. `Infinity` leaves it to whoever calls `take`. */
  patience: (words: string) => number = () => 500
  /** Milliseconds before a speech that are kept with it. */
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

  /** Milliseconds of sound that are kept. */
  get held(): number {
    return this.#kept.length * BLOCK + this.#framer.remainder
  }

  hear(samples: Int16Array, events: EarEvents = {}): void {
    for (const frame of this.#framer.push(samples)) this.#block(frame, events)
  }

  /** Somebody says this, and then is silent for long enough to have finished, if silence ends a speech here. */
  hearText(text: string, events: EarEvents = {}): void {
    this.hear(soundOf(text, this.sampleRate, MS_PER_CHARACTER).samples, events)
    const patience = this.patience(text)
    if (patience < Infinity) this.hear(silence(patience + BLOCK, this.sampleRate).samples, events)
  }

  /** What was heard so far, as if it ended here. */
  take(): Utterance {
    const duration = this.held
    const rest = this.#framer.flush()
    if (rest) this.#keep(rest)
    return { ...this.#utterance(), duration }
  }

  /** Forgets what was heard. */
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
