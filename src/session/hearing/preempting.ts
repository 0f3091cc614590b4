import type { Floor, TurnRule } from './floor.ts'
import { hasWords } from './turn-words.ts'

/** Begins a reply to what the user seems to have said, and discards it if there was more to come. */
export const preempt: TurnRule = {
  timer: 'stable',
  isUsed: ({ preemptive }) => preemptive !== undefined,
  due: (floor) => (isOutdated(floor) ? floor.state.now : replyDue(floor)),

  act(floor) {
    const { state } = floor
    if (isOutdated(floor)) discardPreempt(floor)
    const due = replyDue(floor)
    if (due === undefined || due > state.now) return
    const text = floor.wholeText
    state.turn!.preempts += 1
    state.preempted = text
    floor.commands.push({ type: 'preempt', text })
  },
}

/** Whether the reply begun early is for a text that has changed since. */
function isOutdated(floor: Floor): boolean {
  const { turn, voice, preempted } = floor.state
  if (preempted === undefined) return false
  return !turn || voice !== undefined || preempted !== floor.wholeText
}

/** When the user's words are worth beginning a reply. */
function replyDue(floor: Floor): number | undefined {
  const { turn, voice, preempted } = floor.state
  const { preemptive } = floor.settings
  if (!preemptive || !floor.takesTurns || !turn || voice || preempted !== undefined) return undefined
  if (turn.preempts >= preemptive.attempts || !hasWords(floor.text)) return undefined
  if (floor.isWeak ? floor.holdsWeakTurns : floor.isUninterruptible) return undefined
  if (floor.isComplete || turn.maybeEnded) return turn.changed
  // Speech without any text yet gives nothing to reply to.
  return turn.interim === '' ? undefined : turn.changed + preemptive.stableFor
}

export function discardPreempt({ state, commands }: Floor): void {
  state.preempted = undefined
  commands.push({ type: 'discard-preempt' })
}
