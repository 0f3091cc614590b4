import type { AudioFrame, SampleRate } from '../audio/index.ts'
import type { PartContext } from './part.ts'

/** Hears whether somebody speaks. */
export interface Vad {
  readonly name: string
  readonly sampleRate: SampleRate
  open(context: PartContext, events: VadEvents): Promise<VadStream>
}

/** What it tells. Synchronous; in order: `started` and `stopped` take turns. After `failed` nothing more comes. */
export interface VadEvents {
  /** Somebody began to speak, `ago` milliseconds before the end of the frame that was pushed last. */
  started(ago: number): void
  /** Nobody speaks any more, since `ago` milliseconds before the end of the frame that was pushed last. */
  stopped(ago: number): void
  /** It hears nothing any more: the worker or the model behind it is gone for good. */
  failed(error: unknown): void
}

export interface VadStream {
  /** Never waits and never throws. */
  push(frame: AudioFrame): void
}

/** Judges from the words whether the user has finished. */
export interface TurnDetector {
  readonly name: string
  open(context: PartContext): Promise<TurnJudge>
}

export interface TurnJudge {
  /** From 0, surely not finished, to 1, surely finished. */
  finished(text: string, signal: AbortSignal): Promise<number>
}
