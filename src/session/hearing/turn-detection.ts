import type { Floor, TurnRule } from './floor.ts'
import { hasWords } from './turn-words.ts'

/** Weight of the newest pause in the average: three or four pauses, a few sentences, are enough to learn a user's pace. */
const NEWEST_PAUSE = 0.3

/** Asks the turn detector about the user's words, once for each text. */
export const judge: TurnRule = {
  isUsed: ({ detector }) => detector,

  due(floor) {
    const { turn, voice, now } = floor.state
    const wanted = turn && !voice && isUnjudged(floor) && turn.asked !== floor.wholeText
    return wanted ? now : undefined
  },

  act(floor) {
    const turn = floor.state.turn!
    const text = floor.wholeText
    turn.asked = text
    turn.score = undefined
    floor.commands.push({ type: 'judge', text })
  },
}

/** Whether the detector has yet to judge the words as they are now. */
export function isUnjudged(floor: Floor): boolean {
  const { turn } = floor.state
  if (!turn || floor.settings.mode !== 'vad' || !hasWords(floor.text)) return false
  return turn.asked !== floor.wholeText || turn.score === undefined
}

export function takeScore({ state }: Floor, text: string, score: number | undefined): void {
  const { turn, voice } = state
  if (!turn || voice || turn.asked !== text) return
  turn.score = score === undefined || Number.isNaN(score) ? 'unknown' : Math.min(1, Math.max(0, score))
}

/** Called when the user speaks again: learns how long this user pauses within a turn. */
export function learnPause({ state, settings }: Floor, since: number): void {
  const stopped = state.turn?.voiced ? state.turn.stopped : state.lastStopped
  state.lastStopped = undefined
  if (stopped === undefined) return
  const pause = since - stopped
  if (pause <= 0 || pause > settings.maxDelay) return
  const average = state.averagePause ?? pause
  state.averagePause = average + NEWEST_PAUSE * (pause - average)
}
