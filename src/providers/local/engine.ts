import type { SpokenWord } from '../../parts/index.ts'

/** The programs and packages that can speak. */
export const ttsEngines = ['flite', 'espeak-ng', 'espeak-wasm'] as const
export type TtsEngine = (typeof ttsEngines)[number]

/** One sentence, spoken: mono, at 16 kHz. */
export interface SpokenSentence {
  readonly samples: Int16Array
  /** When each word begins, from the beginning of the sentence, if the engine tells. */
  readonly words?: readonly SpokenWord[]
}

/** Speaks one sentence. Throws the signal's reason when that aborts. */
export type Speak = (sentence: string, signal: AbortSignal) => Promise<SpokenSentence>

export interface SpeakOptions {
  readonly voice: string | undefined
  readonly speed: number
  readonly timeout: number
}
