import { cancel } from './handle-attempt.ts'
import { limits } from './limits.ts'
import type { WorkStep } from './work-state.ts'

export function beginClosing({ state }: WorkStep): void {
  if (state.closing === 'no') state.closing = 'finishing'
}

/** Cancels the handlers that still run. Outcomes that the journal did not take are released instead. */
export function hurry(step: WorkStep): void {
  const { state } = step
  if (state.closing === 'hurrying' || state.closing === 'releasing') return
  state.closing = 'hurrying'
  for (const attempt of state.attempts.values()) {
    const { stage, id } = attempt
    if (stage.is === 'running') cancel(step, attempt, 'closing', limits.closeGrace)
    else if (stage.is === 'cancelled')
      attempt.stage = { ...stage, until: Math.min(stage.until, state.now + limits.closeGrace) }
    else if (stage.sent === undefined && stage.failures > 0) state.attempts.delete(id)
  }
}

/** Releases whatever is still claimed, once nothing is left to wait for. */
export function finishClosing({ state, emit }: WorkStep): void {
  if (state.closing !== 'finishing' && state.closing !== 'hurrying') return
  if (state.attempts.size > 0 || (state.claiming !== undefined && state.closing === 'finishing')) return
  state.closing = 'releasing'
  emit({ type: 'release' })
}
