import type { AudioFormat } from '../audio/index.ts'
import { mannerNames, type PartManners } from './part-instances.ts'
import type { RealtimeTurn } from './realtime-record.ts'
import type { Answers } from './script.ts'
import { type OptionNames } from '../scope/index.ts'

export interface ScriptedRealtimeOptions extends PartManners {
  /** Default: PCM of 16 kHz. */
  hears?: readonly AudioFormat[]
  /** Default: PCM of 16 kHz. */
  speaks?: readonly AudioFormat[]
  /** Answers in order, or a function of the request. Text is spoken. */
  answers?: Answers<RealtimeTurn>
  /** Milliseconds of speech per character. Default: 50. */
  msPerCharacter?: number
  /** Milliseconds from the request to the answer. Default: 0. */
  firstAfter?: number
  /** How much faster than real time the audio is sent. Default: `Infinity`. */
  speed?: number
  /** Milliseconds of silence that end the user's turn. Default: 300. */
  turnSilence?: number
  /** Milliseconds from the end of a turn to its final text. The answer does not wait for it. Default: 0. */
  finalAfter?: number | 'never'
  /** Whether it stops its answer when the user begins to speak. Default: false. */
  yields?: boolean
  /** Milliseconds until an interruption takes effect. Audio continues until then. Default: 0. */
  interruptTakes?: number
}

export const realtimeNames: OptionNames<ScriptedRealtimeOptions> = {
  ...mannerNames,
  hears: true,
  speaks: true,
  answers: true,
  msPerCharacter: true,
  firstAfter: true,
  speed: true,
  turnSilence: true,
  finalAfter: true,
  yields: true,
  interruptTakes: true,
}
