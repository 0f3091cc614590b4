import type { Floor, TurnRule } from './floor.ts'

/** Reports once that neither side has said or done anything for `idle` milliseconds. */
export const idle: TurnRule = {
  timer: 'idle',
  isUsed: ({ idle: after }) => after !== undefined,

  due(floor) {
    const { quietSince, idleReported, now } = floor.state
    const quiet = isQuiet(floor)
    if (quiet !== (quietSince !== undefined)) return now
    return !quiet || idleReported ? undefined : quietSince! + floor.settings.idle!
  },

  act(floor) {
    const { state, settings } = floor
    if (!isQuiet(floor)) {
      state.quietSince = undefined
      state.idleReported = false
      return
    }
    state.quietSince ??= state.now
    if (state.idleReported || state.quietSince + settings.idle! > state.now) return
    state.idleReported = true
    floor.commands.push({ type: 'user-idle', since: state.quietSince })
  },
}

function isQuiet(floor: Floor): boolean {
  const { voice, turn, held, agent, preempted, digits } = floor.state
  if (voice || held || preempted !== undefined || digits !== '') return false
  if (agent.sound || agent.thinking !== 'no' || agent.tool) return false
  // In mode `manual`, words may stay uncommitted forever: nothing happens until the application ends the turn.
  return !turn || (floor.settings.mode === 'manual' && turn.ended === undefined && floor.isComplete)
}
