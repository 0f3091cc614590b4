import type { AudioFormat, AudioFrame } from '../audio/index.ts'
import type { PartContext, SoundSetup } from './part.ts'

/** Voice activity detection. */
export interface Vad {
  readonly name: string
  /** Every format it can take. */
  readonly hears: readonly AudioFormat[]
  open(context: PartContext, events: VadEvents, setup: SoundSetup): Promise<VadStream>
}

/** Callbacks of a stream, called synchronously. `started` and `stopped` alternate. None is called after `failed`. */
export interface VadEvents {
  /** Speech started, `ago` milliseconds before the end of the last frame. */
  started(ago: number): void
  /** Speech stopped, `ago` milliseconds before the end of the last frame. */
  stopped(ago: number): void
  /** The stream has failed for good: its worker or model has ended. */
  failed(error: unknown): void
}

export interface VadStream {
  /** Never waits and never throws. */
  push(frame: AudioFrame): void
}
