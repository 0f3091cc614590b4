import type { AudioFrame, SampleRate } from '../audio/index.ts'
import type { PartContext } from './part.ts'

/** Voice activity detection. */
export interface Vad {
  readonly name: string
  readonly sampleRate: SampleRate
  open(context: PartContext, events: VadEvents): Promise<VadStream>
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

/** Judges by the words whether the user has finished. */
export interface TurnDetector {
  readonly name: string
  open(context: PartContext): Promise<TurnJudge>
}

export interface TurnJudge {
  /** Resolves to the probability, from 0 to 1, that the user has finished. */
  finished(text: string, signal: AbortSignal): Promise<number>
}
