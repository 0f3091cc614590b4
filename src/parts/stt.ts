import type { AudioFrame, SampleRate } from '../audio/index.ts'
import type { PartContext } from './part.ts'

/** Speech to text. */
export interface Stt {
  readonly name: string
  /** The rate of the audio it takes. */
  readonly sampleRate: SampleRate
  /** Whether it detects ends of turns and calls `endOfTurn`. Default: false. */
  readonly endsTurns?: boolean
  open(context: PartContext, events: SttEvents): Promise<SttStream>
}

/** Callbacks of a stream, called synchronously and in order. None is called after `failed`. */
export interface SttEvents {
  /** A preliminary transcript of everything since the last final text. Replaces the previous one. */
  interim(text: string): void
  /** The next words of the user, which will not change. Replaces the interim text. */
  final(text: string): void
  /** The user seems to have finished. */
  endOfTurn(): void
  /** The stream has failed for good, after all retries and reconnects. */
  failed(error: unknown): void
}

export interface SttStream {
  /** Never waits and never throws. Audio that cannot be sent is dropped. */
  push(frame: AudioFrame): void
  /** The user has stopped speaking: requests a final transcript of the audio so far. */
  flush(): void
  /** No more audio follows. The audio so far is still transcribed. */
  detach(): void
}
