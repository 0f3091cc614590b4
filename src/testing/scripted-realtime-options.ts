import type { SampleRate } from '../audio/index.ts'
import type { PartManners } from './part-instances.ts'
import type { RealtimeTurn } from './realtime-record.ts'
import type { Answers } from './script.ts'

export interface ScriptedRealtimeOptions extends PartManners {
  /** 16,000 unless set. */
  inputRate?: SampleRate
  outputRate?: SampleRate
  /** Answers in order, or a function of what it was asked. Text is spoken. */
  answers?: Answers<RealtimeTurn>
  /** How long a character sounds: 50 ms unless set. */
  msPerCharacter?: number
  /** Milliseconds from the request to the answer: 0 unless set. */
  firstAfter?: number
  /** How much faster than it sounds it speaks: at once unless set, 1 is real time. */
  speed?: number
  /** Milliseconds of quiet sound after words that end the user's turn: 300 unless set. */
  turnSilence?: number
  /** Milliseconds from the end of a turn to its final text, which the answer does not wait for: 0 unless set. */
  finalAfter?: number | 'never'
  /** It stops its own answer when the user begins to speak. */
  yields?: boolean
  /** Milliseconds until an interruption reaches it: sound goes on coming until then. 0 unless set. */
  interruptTakes?: number
}
