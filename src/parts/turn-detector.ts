import type { AudioFormat, AudioFrame } from '../audio/index.ts'
import type { PartContext, SoundSetup } from './part.ts'

/** Judges by the words, and by the sound if it wants to, whether the user has finished. */
export interface TurnDetector {
  readonly name: string
  /** Every format it can take. Absent if it judges by the words alone. */
  readonly hears?: readonly AudioFormat[]
  open(context: PartContext, setup: SoundSetup): Promise<TurnJudge>
}

export interface TurnJudge {
  /** Resolves to the probability, from 0 to 1, that the user has finished. */
  finished(turn: UnfinishedTurn, signal: AbortSignal): Promise<number>
}

/** The user's turn so far. */
export interface UnfinishedTurn {
  readonly text: string
  /** From half a second before the turn until now, at most its last 8 s. Empty for a detector without `hears`. */
  readonly sound: readonly AudioFrame[]
}
