import type { AudioFrame, SampleRate } from '../audio/index.ts'
import type { PartContext } from './part.ts'

/** Turns text into speech. */
export interface Tts {
  readonly name: string
  /** The rate of the frames it makes. */
  readonly sampleRate: SampleRate
  open(context: PartContext): Promise<Voice>
}

export interface Voice {
  /**
   * Speaks the text as it comes. Ends when all of it is spoken; throws if it cannot. When `signal` aborts it stops, and
   * throws the signal's reason. One voice may be asked for several speeches at once.
   */
  speak(text: AsyncIterable<string>, signal: AbortSignal): AsyncIterable<SpokenChunk>
}

export interface SpokenChunk {
  readonly frame: AudioFrame
  /** The words that begin in this frame, where the provider tells. Without them, text is shared out over the sound. */
  readonly words?: readonly SpokenWord[]
}

export interface SpokenWord {
  /** As it stood in the text, with the space or punctuation that follows. */
  readonly text: string
  /** Milliseconds from the beginning of the speech. */
  readonly start: number
  readonly end: number
}
