import { isComplete, type TurnDesk, type TurnState } from './turn-state.ts'
import type { TurnSettings } from './turn-options.ts'

/** Tells once that nobody says or does anything. */
export function watchIdle({ state, settings, tell }: TurnDesk): void {
  if (settings.idle === undefined || !isQuiet(state, settings)) {
    state.quietSince = undefined
    state.idleTold = false
    return
  }
  state.quietSince ??= state.now
  const due = idleDue(state, settings)
  if (due === undefined || due > state.now) return
  state.idleTold = true
  tell({ type: 'user-idle', since: state.quietSince })
}

export const idleDue = ({ quietSince, idleTold }: TurnState, { idle }: TurnSettings): number | undefined =>
  idle === undefined || quietSince === undefined || idleTold ? undefined : quietSince + idle

function isQuiet(
  { voice, turn, kept, agent, preempted, digits }: TurnState,
  settings: TurnSettings,
): boolean {
  if (voice || kept || preempted !== undefined || digits !== '') return false
  if (agent.sound || agent.thinking !== 'no' || agent.tool) return false
  // In mode manual words may lie there for ever: nothing happens until somebody ends the turn.
  return !turn || (settings.mode === 'manual' && turn.ended === undefined && isComplete(turn))
}
