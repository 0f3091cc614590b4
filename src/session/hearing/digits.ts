import { interrupt } from './barge-in.ts'
import type { Floor, TurnRule } from './floor.ts'
import { typeText } from './user-turn.ts'

/** Completes an entry of telephone keys when no further key follows in time. */
export const digits: TurnRule = {
  timer: 'digits',
  isUsed: ({ dtmf }) => dtmf !== undefined,
  due: ({ state, settings }) => (state.digits === '' ? undefined : state.digitAt + settings.dtmf!.timeout),
  act: (floor) => finish(floor, floor.state.digits),
}

/** Collects telephone keys into an entry. */
export function pressKey(floor: Floor, key: string): void {
  const { state, settings } = floor
  const { dtmf } = settings
  if (!dtmf || state.ending) return
  const { filledAt } = state
  state.filledAt = undefined
  const outOfHabit = filledAt !== undefined && state.now - filledAt <= dtmf.timeout
  if (key === dtmf.endKey && state.digits === '' && outOfHabit) return
  if (dtmf.interrupts && floor.liveSound) interrupt(floor)
  state.quietSince = undefined
  state.idleReported = false
  if (key === dtmf.endKey) return finish(floor, state.digits === '' ? key : state.digits)
  state.digits += key
  state.digitAt = state.now
  if (state.digits.length < dtmf.count) return
  state.filledAt = state.now
  finish(floor, state.digits)
}

function finish(floor: Floor, entry: string): void {
  floor.state.digits = ''
  if (floor.settings.dtmf?.as === 'text') typeText(floor, entry)
  else floor.commands.push({ type: 'digits', digits: entry })
}
