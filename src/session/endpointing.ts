import { isComplete, textOf, wholeText, type Turn, type TurnDesk, type TurnState } from './turn-state.ts'
import { hasWords } from './turn-words.ts'
import type { TurnSettings } from './turn-options.ts'

/** How much the newest pause counts in the mean: three or four pauses, a few sentences, tell how somebody speaks. */
const newest = 0.3
/** A delay as long as the mean pause would cut off every second one. */
const margin = 1.5

/** When the turn is over if nothing more happens; undefined if time alone does not end it. */
export function endpointDue(state: TurnState, settings: TurnSettings): number | undefined {
  const { turn, voice } = state
  const { mode, maxDelay } = settings
  if (!turn) return undefined
  if (turn.ended !== undefined)
    return isComplete(turn) || settings.wordless ? turn.ended : turn.ended + maxDelay
  // Without a VAD nobody tells that the user has stopped: that no text comes any more has to do.
  if (mode === 'stt' && !settings.vad) return turn.changed + maxDelay
  if (voice) return undefined
  if (mode === 'manual' && isComplete(turn)) return undefined
  if (mode === 'vad' && isComplete(turn) && !isUnjudged(state, turn, settings))
    return turn.stopped + delayOf(state, turn, settings)
  return turn.stopped + maxDelay
}

function delayOf({ pauses }: TurnState, { score }: Turn, settings: TurnSettings): number {
  const { dynamic, delay, maxDelay } = settings
  if (!dynamic) return delay
  if (typeof score === 'number') return maxDelay - score * (maxDelay - delay)
  return pauses === undefined ? delay : Math.min(maxDelay, Math.max(delay, pauses * margin))
}

/** The detector has still to say something about the words as they are. */
const isUnjudged = (state: TurnState, turn: Turn, { mode, detector }: TurnSettings): boolean =>
  mode === 'vad' &&
  detector &&
  hasWords(textOf(turn)) &&
  (turn.asked !== wholeText(state) || turn.score === undefined)

/** Asks the turn detector, once about each text. */
export function judge({ state, settings, tell }: TurnDesk): void {
  const { turn, voice } = state
  if (!turn || voice || !isUnjudged(state, turn, settings)) return
  const text = wholeText(state)
  if (turn.asked === text) return
  turn.asked = text
  turn.score = undefined
  tell({ type: 'judge', text })
}

export function takeJudgement({ turn, voice }: TurnState, text: string, score: number | undefined): void {
  if (!turn || voice || turn.asked !== text) return
  turn.score = score === undefined || Number.isNaN(score) ? 'unknown' : Math.min(1, Math.max(0, score))
}

/** The user speaks again. Learns how long somebody who had not finished was silent. */
export function learnPause(state: TurnState, settings: TurnSettings, since: number): void {
  const stopped = state.turn?.voiced ? state.turn.stopped : state.lastStopped
  state.lastStopped = undefined
  if (!settings.dynamic || stopped === undefined) return
  const pause = since - stopped
  if (pause <= 0 || pause > settings.maxDelay) return
  state.pauses = state.pauses === undefined ? pause : state.pauses + newest * (pause - state.pauses)
}
