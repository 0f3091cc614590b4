import type { AudioFrame, SampleRate } from '../audio/index.ts'
import type { Vad } from './vad.ts'
import { type OptionNames } from '../scope/index.ts'

export interface BatchSttOptions {
  readonly name: string
  readonly sampleRate: SampleRate
  /** Finds the segments of speech. */
  readonly vad: Vad
  /** Transcribes one segment of speech. Throws if it fails. The text may be empty. */
  transcribe(frames: readonly AudioFrame[], signal: AbortSignal): Promise<string>
  /** How much audio before the start of speech is transcribed, because first sounds are soft. Default: 300 ms. */
  readonly preRoll?: number
  /** Shorter segments are not transcribed, because models hear words in noise. Default: 200 ms. */
  readonly minSpeech?: number
  /** Longer segments are transcribed in parts. Default: 30 s, the limit of most models. */
  readonly maxSpeech?: number
  /** The time limit for one transcription. Default: 10 s. */
  readonly timeout?: number
  /** How often a transcription is attempted before the stream fails. Default: 2. */
  readonly attempts?: number
  /** How many segments may be in transcription at once; one more fails the stream. Default: 8. */
  readonly maxWaiting?: number
}

export const batchSttNames: OptionNames<BatchSttOptions> = {
  name: true,
  sampleRate: true,
  vad: true,
  transcribe: true,
  preRoll: true,
  minSpeech: true,
  maxSpeech: true,
  timeout: true,
  attempts: true,
  maxWaiting: true,
}
