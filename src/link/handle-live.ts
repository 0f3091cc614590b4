import { limits } from './limits.ts'
import type { LinkEnd } from './link-end.ts'
import type { LinkErrorCode } from './link-error.ts'
import type { EndedEvent, LinkEvent, LinkTimer } from './link-events.ts'
import type { Connection, LinkStep, LinkState } from './link-state.ts'

/** What a link does as long as nobody has asked it to close: it alone dials. */
export function live(step: LinkStep, event: LinkEvent): void {
  const { state } = step
  switch (event.type) {
    case 'start':
      state.startedAt = state.now
      return dial(step)
    case 'opened':
      if (isAt(state.coming, event.generation, 'dialling')) state.coming.stage = 'open'
      return
    case 'ready':
      return isAt(state.coming, event.generation, 'open') ? serve(step, state.coming) : undefined
    case 'answered':
      return noteAnswer(state, event.generation)
    case 'ended':
      return ended(step, event)
    case 'roll-over':
      planRollover(state, event.generation, state.now + event.after)
      return event.after > 0 ? undefined : rollOver(step)
    case 'wake':
      if (!state.idle) return
      state.idle = false
      return dial(step)
    case 'overflow':
      return fail(step, 'LINK_OVERFLOW', state.last)
    case 'broken':
      return fail(step, 'LINK_FATAL', state.last)
    case 'timer':
      return due(step, event.timer, event.chance)
    case 'intent':
    case 'close':
    case 'abort':
    case 'acknowledged':
      // These are of a link that closes.
      return
  }
}

function due(step: LinkStep, timer: LinkTimer, chance: number): void {
  const { state } = step
  switch (timer) {
    case 'open':
      return fail(step, 'LINK_TIMEOUT', state.last)
    case 'handshake': {
      const { coming } = state
      if (!coming) return
      step.emit({ type: 'cut', generation: coming.generation })
      return comingEnded(
        step,
        { class: 'refused', reason: 'not ready in time' },
        true,
        chance,
        'LINK_TIMEOUT',
      )
    }
    case 'retry':
      state.retryAt = undefined
      return dial(step)
    case 'roll-over':
      return rollOver(step)
    case 'leave':
      return state.leaving ? cutLeaving(step, state.leaving.generation) : undefined
    case 'acknowledgement':
    case 'close-frame':
      return
  }
}

function dial({ state, emit }: LinkStep): void {
  const generation = ++state.generation
  state.coming = { generation, stage: 'dialling', since: state.now, answered: false, rollAt: undefined }
  emit({ type: 'dial', generation })
}

/** The setup is done: the connection takes the place of the one before it, of which nothing is heard any more. */
function serve(step: LinkStep, connection: Connection): void {
  const { state, settings, emit } = step
  const old = state.serving
  connection.stage = 'ready'
  connection.since = state.now
  state.serving = connection
  state.coming = undefined
  state.rolling = false
  state.bereft = false
  state.wasReady = true
  if (settings.maxAge !== undefined) planRollover(state, connection.generation, state.now + settings.maxAge)
  if (old) leave(step, old.generation, false)
  emit({ type: 'serve', generation: connection.generation })
  if (old) emit({ type: 'lost', end: { class: 'asked' } })
}

function noteAnswer(state: LinkState, generation: number): void {
  if (state.serving?.generation !== generation) return
  state.serving.answered = true
  state.idleEnds = 0
}

// ── ends ──

function ended(step: LinkStep, { generation, end, standing, resumable, chance }: EndedEvent): void {
  const { state } = step
  if (state.leaving?.generation === generation) return standing ? undefined : left(step)
  const serves = state.serving?.generation === generation
  if (!serves && state.coming?.generation !== generation) return
  state.last = end
  if (standing) dismiss(step, generation)
  if (serves) servingEnded(step, end, resumable, chance)
  else comingEnded(step, end, resumable, chance)
}

function servingEnded(step: LinkStep, end: LinkEnd, resumable: boolean, chance: number): void {
  const { state, settings, emit } = step
  const { answered, since } = state.serving!
  const healthy = answered && state.now - since >= settings.healthyAfter
  if (healthy) state.failures = 0
  state.serving = undefined
  emit({ type: 'hold' })
  const idle = end.class === 'idle' && ++state.idleEnds < 2
  state.bereft = !idle
  const next = state.coming !== undefined || state.retryAt !== undefined
  if (end.class === 'fatal') return fail(step, 'LINK_FATAL', end)
  if (!resumable && !idle) return fail(step, 'LINK_LOST', end)
  if (next) state.rolling = false
  else if (idle) state.idle = true
  else if (end.class === 'expired' && healthy) {
    state.bereft = false
    state.rolling = true
    dial(step)
  } else if (!retry(step, chance)) return fail(step, 'LINK_FAILED', end)
  emit({ type: 'lost', end })
}

/** It could not be made, or not made ready. */
function comingEnded(
  step: LinkStep,
  end: LinkEnd,
  resumable: boolean,
  chance: number,
  code: LinkErrorCode = 'LINK_FAILED',
): void {
  const { state } = step
  state.last = end
  state.coming = undefined
  state.rolling = false
  const fatal = end.class === 'fatal'
  if (state.serving) {
    // A rollover that cannot be made: the old connection serves as long as it stands.
    if (!fatal) retry(step, chance)
    return
  }
  state.bereft = state.wasReady
  if (fatal) return fail(step, end.status === undefined ? 'LINK_FATAL' : 'LINK_REFUSED', end)
  if (!resumable) return fail(step, 'LINK_LOST', end)
  if (!retry(step, chance)) return fail(step, code, end)
}

/** Plans the next attempt, with full jitter, if the budget allows it (LK3). */
function retry({ state, settings }: LinkStep, chance: number): boolean {
  if (state.failures >= settings.retries || state.retries >= settings.lifetimeRetries) return false
  const most = Math.min(settings.longestBackoff, settings.backoff * 2 ** state.failures)
  state.failures++
  state.retries++
  state.retryAt = state.now + chance * most
  return true
}

/** The end that nobody asked for. */
function fail({ state, emit }: LinkStep, error: LinkErrorCode, end: LinkEnd | undefined): void {
  state.over = true
  for (const connection of [state.leaving, state.serving, state.coming])
    if (connection) emit({ type: 'cut', generation: connection.generation })
  emit({ type: 'over', how: 'dropped', end, error })
}

// ── rollover ──

function planRollover(state: LinkState, generation: number, wanted: number): void {
  // A peer that sends each connection away at once must not keep us busy with nothing else.
  const at = Math.max(wanted, (state.rolledAt ?? -Infinity) + limits.betweenRollovers)
  for (const connection of [state.serving, state.coming])
    if (connection?.generation === generation) connection.rollAt = Math.min(connection.rollAt ?? at, at)
}

function rollOver(step: LinkStep): void {
  const { state, settings, emit } = step
  const { serving } = state
  // Only what is due, and not while the next one is on its way already.
  if (!serving || (serving.rollAt ?? Infinity) > state.now) return
  if (state.coming || state.retryAt !== undefined) return
  serving.rollAt = undefined
  state.rolledAt = state.now
  state.rolling = true
  if (settings.order === 'new-first') return dial(step)
  state.serving = undefined
  emit({ type: 'hold' })
  leave(step, serving.generation, true)
  emit({ type: 'lost', end: { class: 'asked' } })
}

/** Its end was only announced. A peer that wants no second connection beside it must not see one: it is cut. */
function dismiss(step: LinkStep, generation: number): void {
  if (step.settings.order === 'old-first') step.emit({ type: 'cut', generation })
  else leave(step, generation, false)
}

/** Sends its close frame. An old connection is heard to its end if the new one is dialled only then. */
function leave({ state, settings, emit }: LinkStep, generation: number, thenDial: boolean): void {
  if (state.leaving) emit({ type: 'cut', generation: state.leaving.generation })
  state.leaving = { generation, cutAt: state.now + settings.closePatience, thenDial }
  if (!thenDial) emit({ type: 'fence', generation })
  emit({ type: 'close', generation })
}

function cutLeaving(step: LinkStep, generation: number): void {
  step.emit({ type: 'cut', generation })
  left(step)
}

function left(step: LinkStep): void {
  const { state } = step
  const thenDial = state.leaving?.thenDial
  state.leaving = undefined
  if (thenDial) dial(step)
}

function isAt(
  connection: Connection | undefined,
  generation: number,
  stage: Connection['stage'],
): connection is Connection {
  return connection?.generation === generation && connection.stage === stage
}
