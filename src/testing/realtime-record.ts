import type { SampleRate } from '../audio/index.ts'
import type { RealtimeSetup } from '../parts/index.ts'

/** What the model was asked: the user's last words, if any, and instructions for this answer alone. */
export interface RealtimeTurn {
  readonly user: string
  readonly instructions: string | undefined
  readonly results: readonly { readonly id: string; readonly output: string; readonly failed: boolean }[]
}

/** One answer, as the model remembers it. */
export interface RealtimeAnswer {
  readonly response: string
  /** All of its words, and those that are left after an interruption. */
  readonly text: string
  readonly remembered: string
  /** Milliseconds of sound given out. */
  readonly given: number
  readonly how: 'running' | 'completed' | 'cancelled' | 'failed'
}

/** Everything a `ScriptedRealtime` was asked and answered, over all its conversations. */
export interface RealtimeRecord {
  readonly outputRate: SampleRate
  readonly setups: Pick<RealtimeSetup, 'instructions' | 'tools'>[]
  readonly answersGiven: RealtimeAnswer[]
  readonly interruptions: { readonly response: string; readonly heard: number }[]
  readonly results: RealtimeTurn['results'][number][]
  readonly texts: string[]
}
