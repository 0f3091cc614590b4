import type { AudioFrame, SampleRate } from '../audio/index.ts'
import type { PartContext } from './part.ts'

/** Turns speech into text. */
export interface Stt {
  readonly name: string
  /** The rate at which it wants its audio. */
  readonly sampleRate: SampleRate
  /** True if it says by itself when the user has finished (`endOfTurn`). */
  readonly endsTurns?: boolean
  open(context: PartContext, events: SttEvents): Promise<SttStream>
}

/** What a stream tells. Synchronous; in order. After `failed` nothing more comes. */
export interface SttEvents {
  /** The words since the last final text, as far as they are understood. Each replaces the one before. */
  interim(text: string): void
  /** Words that will not change any more: the next piece of what the user says. Replaces the interim text. */
  final(text: string): void
  /** The user seems to have finished. */
  endOfTurn(): void
  /** The stream is broken for good. Retries and reconnects have been tried by then. */
  failed(error: unknown): void
}

export interface SttStream {
  /** Never waits and never throws; what cannot be sent is dropped. */
  push(frame: AudioFrame): void
  /** The user has stopped speaking: make final what has been heard so far. */
  flush(): void
  /** No more audio will come. What has been heard is still transcribed. */
  detach(): void
}
