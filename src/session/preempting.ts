import {
  hasToWait,
  isComplete,
  isWeak,
  takesTurns,
  textOf,
  wholeText,
  type Turn,
  type TurnDesk,
  type TurnState,
} from './turn-state.ts'
import { hasWords } from './turn-words.ts'
import type { TurnSettings } from './turn-options.ts'

/** Begins to answer what the user seems to have said, and throws it away when that was not all. */
export function preempt({ state, settings, tell }: TurnDesk): void {
  const { turn, voice } = state
  const text = turn && !voice ? wholeText(state) : undefined
  if (state.preempted !== undefined && state.preempted !== text) discardPreempt(state, tell)
  const due = preemptDue(state, settings)
  if (!turn || text === undefined || due === undefined || due > state.now) return
  turn.preempts += 1
  state.preempted = text
  tell({ type: 'preempt', text })
}

/** When the words are worth an answer. */
export function preemptDue(state: TurnState, settings: TurnSettings): number | undefined {
  const { preemptive } = settings
  const { turn } = state
  if (!preemptive || !takesTurns(settings) || !turn || state.voice || state.preempted !== undefined)
    return undefined
  if (turn.preempts >= preemptive.attempts || !hasWords(textOf(turn))) return undefined
  if (hasToWait(state, isWeak(turn, settings))) return undefined
  return isComplete(turn) ? turn.changed : stableAt(turn, preemptive.stableFor)
}

/** Of speech without any text nobody knows what it will say. */
const stableAt = (turn: Turn, stableFor: number): number | undefined =>
  turn.interim === '' ? undefined : turn.changed + stableFor

export function discardPreempt(state: TurnState, tell: TurnDesk['tell']): void {
  if (state.preempted === undefined) return
  state.preempted = undefined
  tell({ type: 'discard-preempt' })
}
