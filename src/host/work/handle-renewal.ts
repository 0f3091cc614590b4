import { halfJitter } from './backoff.ts'
import { cancel } from './handle-attempt.ts'
import { limits } from './limits.ts'
import type { Attempt, WorkStep } from './work-state.ts'

/** Whether the claim is ours as far as we know, and still needed. */
function isHeld({ stage }: Attempt): boolean {
  if (stage.is === 'cancelled') return stage.cause !== 'lost'
  return stage.is === 'running' || stage.sent === undefined
}

export function renewDue({ state, settings, emit }: WorkStep): void {
  if (state.attempts.size === 0) state.renewAt = undefined
  else state.renewAt ??= state.now + settings.lease / 3
  if (state.renewing || state.renewAt === undefined || state.renewAt > state.now) return
  const held = [...state.attempts.values()].filter(isHeld)
  if (held.length === 0) {
    state.renewAt = state.now + settings.lease / 3
    return
  }
  state.renewing = new Map(held.map(({ id, fence }) => [id, fence]))
  emit({ type: 'renew', work: held.map(({ work, fence }) => ({ key: work.key, fence })) })
}

export function renewed(step: WorkStep, keys: ReadonlySet<string>): void {
  const { state } = step
  const { renewing = new Map<number, number>() } = state
  state.renewing = undefined
  state.renewFailures = 0
  state.renewAt = undefined
  for (const [id, fence] of renewing) {
    const attempt = state.attempts.get(id)
    // An attempt that got its work again meanwhile has a new claim, and the answer is about the old one.
    if (!attempt || attempt.fence !== fence || keys.has(attempt.work.key)) continue
    lose(step, attempt)
  }
}

/** Another process has the work. An outcome that is being written will be refused by its fence. */
function lose(step: WorkStep, attempt: Attempt): void {
  const { stage, id } = attempt
  if (stage.is === 'settling') {
    if (stage.sent === undefined) step.state.attempts.delete(id)
  } else if (stage.is === 'running') cancel(step, attempt, 'lost', limits.cancelGrace)
  else attempt.stage = { ...stage, cause: 'lost' }
}

export function renewFailed({ state, jitter }: WorkStep): void {
  state.renewing = undefined
  state.renewFailures++
  const { journalDelay, journalLongestDelay } = limits
  state.renewAt = state.now + halfJitter(journalDelay, journalLongestDelay, state.renewFailures, jitter)
}
