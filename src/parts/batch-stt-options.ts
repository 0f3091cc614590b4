import type { AudioFrame, SampleRate } from '../audio/index.ts'
import type { Vad } from './vad.ts'

export interface BatchSttOptions {
  readonly name: string
  readonly sampleRate: SampleRate
  /** Finds where somebody speaks. */
  readonly vad: Vad
  /** Transcribes one stretch of speech. Throws if it cannot; may answer nothing. */
  transcribe(frames: readonly AudioFrame[], signal: AbortSignal): Promise<string>
  /** Sound from before the VAD's verdict that is transcribed, too: 300 ms unless set. First sounds are soft. */
  readonly preRoll?: number
  /** Stretches with less speech than this are not transcribed: 200 ms unless set. Models make words out of noise. */
  readonly minSpeech?: number
  /** A longer stretch is cut and transcribed in parts: 30 s unless set, what most models take. */
  readonly maxSpeech?: number
  /** How long one transcription may take: 10 s unless set. */
  readonly timeout?: number
  /** How often a transcription is tried: 2 unless set. After that the stream has failed. */
  readonly attempts?: number
  /** Stretches that may wait for their transcription: 8 unless set. More of them, and the stream has failed. */
  readonly maxWaiting?: number
}
