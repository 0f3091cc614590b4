import { advance, changeTimers } from '../../scope/index.ts'
import { beginClosing, finishClosing, hurry } from './handle-closing.ts'
import { abandonLate, cancelLate, ended, settleDue, settled, settleFailed } from './handle-attempt.ts'
import { claimDue, claimed, claimFailed, roomFor, wake } from './handle-claim.ts'
import { renewDue, renewed, renewFailed } from './handle-renewal.ts'
import type { WorkCommand, WorkEvent, WorkSettings, WorkTimer } from './work-events.ts'
import { newState, type WorkMachineState, type WorkStep } from './work-state.ts'

/**
 * Decides when after-call work is claimed, run, retried, given up and written down. A pure machine: an event goes in,
 * commands come out; no journal, no handler, no clock.
 *
 *   wake, nextIn ──▶ claim ──▶ running ── returned, threw ──▶ settling ── written ──▶ a free place: claim
 *                                │  │                           ▲   └── the journal fails: again later
 *                                │  └─ time is up ─▶ cancelled ─┘ ended, or abandoned after a moment
 *                                │
 *                                └─ claim lost ────▶ cancelled ── ended or abandoned: nothing is written
 *
 *   all the while: claims are renewed every third of their lease
 *   close: no more claims ─▶ handlers finish ─▶ release ─▶ stopped;  hurry: handlers are cancelled first
 */
export class WorkMachine {
  readonly #settings: WorkSettings
  readonly #state = newState()

  constructor(settings: WorkSettings) {
    this.#settings = settings
  }

  get state(): Readonly<WorkMachineState> {
    return this.#state
  }

  handle(event: WorkEvent): WorkCommand[] {
    const state = this.#state
    const commands: WorkCommand[] = []
    if (state.closing === 'stopped' || !advance(state, event)) return commands
    const step: WorkStep = {
      state,
      settings: this.#settings,
      jitter: event.jitter,
      emit: (command) => commands.push(command),
    }
    take(step, event)
    // What is due now, by an event or by the time alone.
    cancelLate(step)
    abandonLate(step)
    settleDue(step)
    claimDue(step)
    renewDue(step)
    finishClosing(step)
    return [...changeTimers(state, timersOf(step)), ...commands]
  }
}

function take(step: WorkStep, event: WorkEvent): void {
  switch (event.type) {
    case 'wake':
      return wake(step)
    case 'claimed':
      return claimed(step, event.items, event.nextIn)
    case 'claim-failed':
      return claimFailed(step)
    case 'renewed':
      return renewed(step, new Set(event.keys))
    case 'renew-failed':
      return renewFailed(step)
    case 'ended':
      return ended(step, event.attempt, event.result)
    case 'settled':
      return settled(step, event.attempt, event.written)
    case 'settle-failed':
      return settleFailed(step, event.attempt)
    case 'close':
      return beginClosing(step)
    case 'hurry':
      return hurry(step)
    case 'released':
      step.state.closing = 'stopped'
      return step.emit({ type: 'stopped' })
    case 'timer':
      return undefined
  }
}

/** Timers are derived from the state, so none can be forgotten. */
function timersOf(step: WorkStep): Map<WorkTimer, number> {
  const { state } = step
  const timers = new Map<WorkTimer, number>()
  const set = (timer: WorkTimer, at: number): void => {
    if (Number.isFinite(at)) timers.set(timer, Math.min(at, timers.get(timer) ?? at))
  }
  if (state.closing === 'stopped') return timers
  if (state.closing === 'no' && state.claiming === undefined && roomFor(step) > 0) set('claim', state.claimAt)
  if (state.renewAt !== undefined && !state.renewing) set('renew', state.renewAt)
  for (const { stage } of state.attempts.values()) {
    if (stage.is !== 'settling') set('attempt', stage.until)
    else if (stage.sent === undefined) set('settle', stage.retryAt)
  }
  return timers
}
