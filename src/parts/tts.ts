import type { AudioFrame, SampleRate } from '../audio/index.ts'
import type { PartContext } from './part.ts'

/** Text to speech. */
export interface Tts {
  readonly name: string
  /** The rate of the audio it generates. */
  readonly sampleRate: SampleRate
  open(context: PartContext): Promise<Voice>
}

export interface Voice {
  /**
   * Speaks the text as it arrives. Ends when all of it has been spoken, and throws if that fails. When `signal` aborts, it
   * stops and throws the signal's reason. Several speeches may run at once.
   */
  speak(text: AsyncIterable<string>, signal: AbortSignal): AsyncIterable<SpokenChunk>
}

export interface SpokenChunk {
  readonly frame: AudioFrame
  /** The words that begin in this frame, if the provider reports them. Without them, their times are estimated. */
  readonly words?: readonly SpokenWord[]
}

export interface SpokenWord {
  /** As in the text, with the space or punctuation that follows. */
  readonly text: string
  /** Milliseconds since the start of the speech. */
  readonly start: number
  readonly end: number
}
