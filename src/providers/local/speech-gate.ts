import type { SpeechChange } from './speech-detector.ts'

export interface SpeechGateOptions {
  /** The probability from which sound is speech. Default: 0.5. */
  readonly threshold?: number
  /** Milliseconds of speech after which it has started. Default: 60. */
  readonly minSpeech?: number
  /** Milliseconds without speech after which it has stopped. Default: 400. */
  readonly hangover?: number
}

/** Speech goes on while its probability is above the threshold minus this. */
const HYSTERESIS = 0.15
/** How much of a new probability counts; the rest is the last one. */
const SMOOTHING = 0.65

/** Makes starts and ends of speech of probabilities. Pure. */
export class SpeechGate {
  readonly #threshold: number
  readonly #minSpeech: number
  readonly #hangover: number
  #probability = 0
  #speaking = false
  /** Milliseconds for which the sound has contradicted `#speaking`. */
  #contradicting = 0

  constructor({ threshold = 0.5, minSpeech = 60, hangover = 400 }: SpeechGateOptions = {}) {
    this.#threshold = threshold
    this.#minSpeech = minSpeech
    this.#hangover = hangover
  }

  /** Takes the probability that the next `duration` milliseconds are speech. `ago` counts from their end. */
  push(probability: number, duration: number): SpeechChange | undefined {
    this.#probability += SMOOTHING * (probability - this.#probability)
    const threshold = this.#speaking ? this.#threshold - HYSTERESIS : this.#threshold
    const isSpeech = this.#probability >= threshold
    this.#contradicting = isSpeech === this.#speaking ? 0 : this.#contradicting + duration
    if (
      this.#contradicting < (this.#speaking ? this.#hangover : this.#minSpeech) ||
      this.#contradicting === 0
    )
      return undefined
    const ago = this.#contradicting
    this.#speaking = !this.#speaking
    this.#contradicting = 0
    return { what: this.#speaking ? 'started' : 'stopped', ago }
  }
}
