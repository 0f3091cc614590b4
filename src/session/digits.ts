import { interrupt } from './barge-in.ts'
import { liveSound, type TurnDesk, type TurnState } from './turn-state.ts'
import { typeText } from './user-turn.ts'
import type { TurnSettings } from './turn-options.ts'

/** Collects telephone keys into an entry. */
export function pressKey(desk: TurnDesk, key: string): void {
  const { state, settings } = desk
  const { dtmf } = settings
  if (!dtmf || state.ending) return
  const { filledAt, digits } = state
  state.filledAt = undefined
  const outOfHabit = filledAt !== undefined && state.now - filledAt <= dtmf.timeout
  if (key === dtmf.endKey && digits === '' && outOfHabit) return
  if (dtmf.interrupts && liveSound(state)) interrupt(desk)
  state.quietSince = undefined
  state.idleTold = false
  if (key === dtmf.endKey) {
    finish(desk, digits === '' ? key : digits)
    return
  }
  state.digits = digits + key
  state.digitAt = state.now
  if (state.digits.length < dtmf.count) return
  state.filledAt = state.now
  finish(desk, state.digits)
}

/** No key has followed in time. */
export function finishDigits(desk: TurnDesk): void {
  const due = digitsDue(desk.state, desk.settings)
  if (due !== undefined && due <= desk.state.now) finish(desk, desk.state.digits)
}

export const digitsDue = ({ digits, digitAt }: TurnState, { dtmf }: TurnSettings): number | undefined =>
  dtmf && digits !== '' ? digitAt + dtmf.timeout : undefined

function finish(desk: TurnDesk, digits: string): void {
  desk.state.digits = ''
  if (desk.settings.dtmf?.as === 'text') typeText(desk, digits)
  else desk.tell({ type: 'digits', digits })
}
