import type { ErrorCode } from '../../scope/index.ts'
import type { ClaimedWork, WorkOutcome } from '../journal/journal.ts'
import { fullJitter, halfJitter } from './backoff.ts'
import { limits } from './limits.ts'
import type { CancelCause, HandlerResult } from './work-events.ts'
import type { Attempt, WorkStep } from './work-state.ts'

/** Cancels handlers whose time is up. */
export function cancelLate(step: WorkStep): void {
  const { state } = step
  for (const attempt of state.attempts.values())
    if (attempt.stage.is === 'running' && attempt.stage.until <= state.now)
      cancel(step, attempt, 'timeout', limits.cancelGrace)
}

export function cancel(step: WorkStep, attempt: Attempt, cause: CancelCause, grace: number): void {
  attempt.stage = { is: 'cancelled', cause, until: step.state.now + grace }
  step.emit({ type: 'cancel', attempt: attempt.id, cause })
}

/** Abandons handlers that have not ended although they were cancelled. */
export function abandonLate(step: WorkStep): void {
  const { state } = step
  for (const attempt of state.attempts.values()) {
    const { stage, id } = attempt
    if (stage.is !== 'cancelled' || stage.until > state.now) continue
    state.abandoned.add(id)
    step.emit({ type: 'abandon', attempt: id })
    if (stage.cause === 'timeout') settle(step, attempt, failure(step, attempt, timedOut(step)))
    else state.attempts.delete(id)
  }
}

/** A handler has ended. */
export function ended(step: WorkStep, id: number, result: HandlerResult): void {
  const { state } = step
  const attempt = state.attempts.get(id)
  if (state.abandoned.delete(id) || !attempt || attempt.stage.is === 'settling') return
  const cause = attempt.stage.is === 'cancelled' ? attempt.stage.cause : undefined
  // Another process has the work now.
  if (cause === 'lost') return void state.attempts.delete(id)
  if (result.how === 'done') return settle(step, attempt, { state: 'done' })
  // The attempt was cut short by us: the work is released, and due at once.
  if (cause === 'closing') return void state.attempts.delete(id)
  if (result.how === 'unrecoverable') return settle(step, attempt, { state: 'dead', error: result.error })
  return settle(
    step,
    attempt,
    cause === 'timeout'
      ? failure(step, attempt, timedOut(step))
      : failure(step, attempt, result.error, result.delay),
  )
}

const timedOut = ({ settings }: WorkStep): string =>
  problem('AFTER_CALL_TIMEOUT', `the handler took longer than ${settings.timeout} ms`)

/** An error as it is kept with the work. */
const problem = (code: ErrorCode, text: string): string => `${code}: ${text}`

/** What becomes of work whose attempt failed: it waits, or is dead once it has been tried for long enough. */
function failure({ state, jitter }: WorkStep, attempt: Attempt, error: string, atLeast = 0): WorkOutcome {
  const tries = attempt.work.attempt
  if (state.now >= attempt.giveUpAt && tries >= limits.attempts) return { state: 'dead', error }
  const backoff = fullJitter(limits.firstDelay, limits.longestDelay, tries, jitter)
  const asked = Math.round(Math.min(atLeast, limits.longestDelay))
  return { state: 'waiting', delay: Math.max(backoff, asked), error }
}

/** What becomes of work whose handler this process does not have: it waits, and is never given up. */
export function unknown({ handler, attempt }: ClaimedWork, jitter: number): WorkOutcome {
  const delay = halfJitter(limits.unknownDelay, limits.longestDelay, attempt, jitter)
  const error = problem('NO_SUCH_HANDLER', `the agent file has no after-call handler '${handler}'`)
  return { state: 'waiting', delay, error }
}

// ── writing outcomes ──

export function settle({ state }: WorkStep, attempt: Attempt, outcome: WorkOutcome): void {
  attempt.stage = { is: 'settling', outcome, sent: undefined, failures: 0, retryAt: state.now }
}

/** Writes the outcomes that are not written yet. */
export function settleDue({ state, emit }: WorkStep): void {
  for (const { id, work, fence, stage } of state.attempts.values()) {
    if (stage.is !== 'settling' || stage.sent !== undefined || stage.retryAt > state.now) continue
    stage.sent = fence
    emit({ type: 'settle', attempt: id, work, fence, outcome: stage.outcome })
  }
}

export function settled({ state }: WorkStep, id: number, written: boolean): void {
  const attempt = state.attempts.get(id)
  if (attempt?.stage.is !== 'settling') return
  const { stage, fence } = attempt
  // The claim was renewed under a new fence meanwhile: the outcome belongs under that one.
  if (!written && stage.sent !== fence) {
    stage.sent = undefined
    return
  }
  state.attempts.delete(id)
  if (!written || stage.outcome.state !== 'waiting' || state.claimFailures > 0) return
  state.claimAt = Math.min(state.claimAt, state.now + stage.outcome.delay)
}

export function settleFailed({ state, jitter }: WorkStep, id: number): void {
  const attempt = state.attempts.get(id)
  if (attempt?.stage.is !== 'settling') return
  const { stage } = attempt
  // There is no time to try again: the work is released.
  if (state.closing === 'hurrying') return void state.attempts.delete(id)
  stage.sent = undefined
  stage.failures++
  const { journalDelay, journalLongestDelay } = limits
  stage.retryAt = state.now + halfJitter(journalDelay, journalLongestDelay, stage.failures, jitter)
}
