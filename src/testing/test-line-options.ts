import type { SampleRate } from '../audio/index.ts'
import type { PartManners } from './part-instances.ts'

export interface TestLineOptions extends PartManners {
  /** 16,000 unless set: the rate of the other scripted parts. */
  sampleRate?: SampleRate
  /** Milliseconds from `play()` to the caller's ear: 0 unless set. */
  latency?: number
  /** Its sound goes on for `lag` milliseconds after `clear()`. */
  avatar?: { readonly lag: number }
  /** Whether it confirms marks: yes unless false. */
  confirms?: boolean
  /** Whether it says how much was heard: yes unless false. */
  knows?: boolean
  /** Rude: it confirms what was cleared from inside `clear()`. */
  marksAtOnce?: boolean
  /** It sends silence while the caller is silent, as a telephone does. Off unless set: silence is many events. */
  streams?: boolean
  /** Milliseconds until it notices that the caller has vanished: 0 unless set. */
  lostAfter?: number
}
