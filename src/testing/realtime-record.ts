import type { RealtimeSetup } from '../parts/index.ts'

/** A request to the model: the user's unanswered words, instructions for this answer, and new tool results. */
export interface RealtimeTurn {
  readonly user: string
  readonly instructions: string | undefined
  readonly results: readonly { readonly id: string; readonly output: string; readonly failed: boolean }[]
}

/** One answer of the model. */
export interface RealtimeAnswer {
  readonly response: string
  /** All of its words. */
  readonly text: string
  /** The words that the model remembers after an interruption. */
  readonly remembered: string
  /** Milliseconds of audio that were sent. */
  readonly given: number
  readonly how: 'running' | 'completed' | 'cancelled' | 'failed'
}

/** Everything that a `ScriptedRealtime` received and answered, in all its conversations. */
export interface RealtimeRecord {
  readonly setups: Pick<RealtimeSetup, 'instructions' | 'tools'>[]
  readonly answersGiven: RealtimeAnswer[]
  readonly interruptions: { readonly response: string; readonly heard: number }[]
  readonly results: RealtimeTurn['results'][number][]
  readonly texts: string[]
}
