import { durationOf, level, type AudioFrame } from '../audio/index.ts'

/** In dBFS. Quieter audio is never speech. */
const SILENCE = -50
/** Speech is this much louder than the noise around it, in dB. */
const ABOVE_NOISE = 10
/** How fast the noise level follows louder audio, in dB per second. It follows quieter audio at once. */
const RISE = 6
/** Milliseconds of speech after which a service that listens must have something to say about it. */
const ENOUGH = 1_000
/** How much of that a pause takes back: coughs and clicks do not add up. */
const FORGET = 0.25

/**
 * Judges whether the caller has been speaking, so that a service that transcribes owes a message. It only has to be right
 * about a second of speech, not about its beginning and end. Steady noise is not speech, however loud.
 */
export class CallerSpeech {
  #noise = SILENCE
  #spoken = 0

  /** Returns true once for each second of speech. */
  push(frame: AudioFrame): boolean {
    const ms = durationOf(frame)
    const loudness = level(frame.samples)
    const isSpeech = loudness > SILENCE && loudness > this.#noise + ABOVE_NOISE
    this.#noise = Math.max(SILENCE - ABOVE_NOISE, Math.min(loudness, this.#noise + (RISE * ms) / 1_000))
    this.#spoken = isSpeech ? this.#spoken + ms : Math.max(0, this.#spoken - ms * FORGET)
    if (this.#spoken < ENOUGH) return false
    this.#spoken = 0
    return true
  }
}
