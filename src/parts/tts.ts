import type { AudioFormat, AudioFrame } from '../audio/index.ts'
import type { PartContext, SoundSetup } from './part.ts'

/** Text to speech. */
export interface Tts {
  readonly name: string
  /** What price lists call it: `cartesia/sonic-3.5`. */
  readonly product?: string | undefined
  /** Every format it can make. The session chooses the nearest to the line's: see `nearestFormat`. */
  readonly speaks: readonly AudioFormat[]
  open(context: PartContext, setup: SoundSetup): Promise<Voice>
}

export interface Voice {
  /**
   * Speaks the text as it arrives. Ends when all of it has been spoken, and throws if that fails. When `signal` aborts, it
   * stops and throws the signal's reason. Several speeches may run at once.
   */
  speak(text: AsyncIterable<string>, signal: AbortSignal): AsyncIterable<SpokenChunk>
}

export interface SpokenChunk {
  /** In the format of the setup. `FrameReader` makes frames from bytes. */
  readonly frame: AudioFrame
  /** The words that begin in this frame, if the provider reports them. Without them, their times are estimated. */
  readonly words?: readonly SpokenWord[]
  /** The name of the member of a fallback that speaks, with the first chunk. Default: the voice itself speaks. */
  readonly by?: string
}

export interface SpokenWord {
  /** As in the text, with the space or punctuation that follows. */
  readonly text: string
  /** Milliseconds since the start of the speech. */
  readonly start: number
  readonly end: number
}
