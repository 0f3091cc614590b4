import { halfJitter } from './backoff.ts'
import { settle, unknown } from './handle-attempt.ts'
import { limits } from './limits.ts'
import type { ClaimedItem } from './work-events.ts'
import type { Attempt, WorkStep } from './work-state.ts'

/** How many attempts may begin. Outcomes that are not written yet take a place, too, so that they are limited. */
export function roomFor({ state, settings }: WorkStep): number {
  const stuck = Math.max(0, state.abandoned.size - limits.abandoned)
  return Math.max(0, settings.concurrency - state.attempts.size - stuck)
}

export function wake({ state }: WorkStep): void {
  if (state.claiming !== undefined) state.woken = true
  // A journal that fails is asked again by its own delay, however often something wakes this machine.
  else if (state.claimFailures === 0) state.claimAt = Math.min(state.claimAt, state.now)
}

export function claimDue(step: WorkStep): void {
  const { state } = step
  const limit = roomFor(step)
  if (state.closing !== 'no' || state.claiming !== undefined || limit === 0 || state.claimAt > state.now)
    return
  state.claiming = limit
  step.emit({ type: 'claim', limit })
}

export function claimed(step: WorkStep, items: readonly ClaimedItem[], nextIn: number | undefined): void {
  const { state } = step
  const { claiming: limit = 0, woken } = state
  state.claiming = undefined
  state.woken = false
  state.claimFailures = 0
  // Whatever is claimed while closing is released at the end.
  if (state.closing !== 'no') return
  const more = woken || (limit > 0 && items.length >= limit)
  const idle = items.length === 0 ? limits.idleDelay : 0
  state.claimAt = state.now + (more ? 0 : Math.min(limits.recheck, Math.max(idle, nextIn ?? limits.recheck)))
  for (const item of items.slice(0, limit)) begin(step, item)
}

export function claimFailed({ state, jitter }: WorkStep): void {
  state.claiming = undefined
  state.woken = false
  state.claimFailures++
  const { journalDelay, journalLongestDelay } = limits
  state.claimAt = state.now + halfJitter(journalDelay, journalLongestDelay, state.claimFailures, jitter)
}

function begin(step: WorkStep, { work, age, known }: ClaimedItem): void {
  const { state, settings } = step
  const held = [...state.attempts.values()].find((each) => each.work.key === work.key && !isLost(each))
  // Our own claim had run out, and we got it again: the attempt that is under way goes on.
  if (held) {
    held.fence = work.fence
    return
  }
  const attempt: Attempt = {
    id: ++state.lastAttempt,
    work,
    fence: work.fence,
    giveUpAt: state.now + limits.giveUpAfter - age,
    stage: { is: 'running', until: state.now + settings.timeout },
  }
  state.attempts.set(attempt.id, attempt)
  if (known) step.emit({ type: 'run', attempt: attempt.id, work })
  else settle(step, attempt, unknown(work, step.jitter))
}

const isLost = ({ stage }: Attempt): boolean => stage.is === 'cancelled' && stage.cause === 'lost'
