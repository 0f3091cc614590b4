import { limits } from './limits.ts'
import type { LinkEnd } from './link-end.ts'
import type { LinkErrorCode } from './link-error.ts'
import type { EndedEvent, LinkEvent, LinkTimer } from './link-events.ts'
import type { Connection, LinkDesk, LinkState } from './link-state.ts'

/** What a link does as long as nobody has asked it to close: it alone dials. */
export function live(desk: LinkDesk, event: LinkEvent): void {
  const { state } = desk
  switch (event.type) {
    case 'start':
      state.startedAt = state.now
      return dial(desk)
    case 'opened':
      if (isAt(state.coming, event.generation, 'dialling')) state.coming.stage = 'open'
      return
    case 'ready':
      return isAt(state.coming, event.generation, 'open') ? serve(desk, state.coming) : undefined
    case 'answered':
      return noteAnswer(state, event.generation)
    case 'ended':
      return ended(desk, event)
    case 'roll-over':
      planRollover(state, event.generation, state.now + event.after)
      return event.after > 0 ? undefined : rollOver(desk)
    case 'wake':
      if (!state.idle) return
      state.idle = false
      return dial(desk)
    case 'overflow':
      return fail(desk, 'LINK_OVERFLOW', state.last)
    case 'broken':
      return fail(desk, 'LINK_FATAL', state.last)
    case 'timer':
      return due(desk, event.timer, event.chance)
    case 'intent':
    case 'close':
    case 'abort':
    case 'acknowledged':
      // These are of a link that closes.
      return
  }
}

function due(desk: LinkDesk, timer: LinkTimer, chance: number): void {
  const { state } = desk
  switch (timer) {
    case 'open':
      return fail(desk, 'LINK_TIMEOUT', state.last)
    case 'handshake': {
      const { coming } = state
      if (!coming) return
      desk.tell({ type: 'cut', generation: coming.generation })
      return comingEnded(
        desk,
        { class: 'refused', reason: 'not ready in time' },
        true,
        chance,
        'LINK_TIMEOUT',
      )
    }
    case 'retry':
      state.retryAt = undefined
      return dial(desk)
    case 'roll-over':
      return rollOver(desk)
    case 'leave':
      return state.leaving ? cutLeaving(desk, state.leaving.generation) : undefined
    case 'acknowledgement':
    case 'close-frame':
      return
  }
}

function dial({ state, tell }: LinkDesk): void {
  const generation = ++state.generation
  state.coming = { generation, stage: 'dialling', since: state.now, answered: false, rollAt: undefined }
  tell({ type: 'dial', generation })
}

/** The setup is done: the connection takes the place of the one before it, of which nothing is heard any more. */
function serve(desk: LinkDesk, connection: Connection): void {
  const { state, settings, tell } = desk
  const old = state.serving
  connection.stage = 'ready'
  connection.since = state.now
  state.serving = connection
  state.coming = undefined
  state.rolling = false
  state.bereft = false
  state.wasReady = true
  if (settings.maxAge !== undefined) planRollover(state, connection.generation, state.now + settings.maxAge)
  if (old) leave(desk, old.generation, false)
  tell({ type: 'serve', generation: connection.generation })
  if (old) tell({ type: 'lost', end: { class: 'asked' } })
}

function noteAnswer(state: LinkState, generation: number): void {
  if (state.serving?.generation !== generation) return
  state.serving.answered = true
  state.idleEnds = 0
}

// ── ends ──

function ended(desk: LinkDesk, { generation, end, standing, resumable, chance }: EndedEvent): void {
  const { state } = desk
  if (state.leaving?.generation === generation) return standing ? undefined : left(desk)
  const serves = state.serving?.generation === generation
  if (!serves && state.coming?.generation !== generation) return
  state.last = end
  if (standing) dismiss(desk, generation)
  if (serves) servingEnded(desk, end, resumable, chance)
  else comingEnded(desk, end, resumable, chance)
}

function servingEnded(desk: LinkDesk, end: LinkEnd, resumable: boolean, chance: number): void {
  const { state, settings, tell } = desk
  const { answered, since } = state.serving!
  const healthy = answered && state.now - since >= settings.healthyAfter
  if (healthy) state.failures = 0
  state.serving = undefined
  tell({ type: 'hold' })
  const idle = end.class === 'idle' && ++state.idleEnds < 2
  state.bereft = !idle
  const next = state.coming !== undefined || state.retryAt !== undefined
  if (end.class === 'fatal') return fail(desk, 'LINK_FATAL', end)
  if (!resumable && !idle) return fail(desk, 'LINK_LOST', end)
  if (next) state.rolling = false
  else if (idle) state.idle = true
  else if (end.class === 'expired' && healthy) {
    state.bereft = false
    state.rolling = true
    dial(desk)
  } else if (!retry(desk, chance)) return fail(desk, 'LINK_FAILED', end)
  tell({ type: 'lost', end })
}

/** It could not be made, or not made ready. */
function comingEnded(
  desk: LinkDesk,
  end: LinkEnd,
  resumable: boolean,
  chance: number,
  code: LinkErrorCode = 'LINK_FAILED',
): void {
  const { state } = desk
  state.last = end
  state.coming = undefined
  state.rolling = false
  const fatal = end.class === 'fatal'
  if (state.serving) {
    // A rollover that cannot be made: the old connection serves as long as it stands.
    if (!fatal) retry(desk, chance)
    return
  }
  state.bereft = state.wasReady
  if (fatal) return fail(desk, end.status === undefined ? 'LINK_FATAL' : 'LINK_REFUSED', end)
  if (!resumable) return fail(desk, 'LINK_LOST', end)
  if (!retry(desk, chance)) return fail(desk, code, end)
}

/** Plans the next attempt, with full jitter, if the budget allows it (LK3). */
function retry({ state, settings }: LinkDesk, chance: number): boolean {
  if (state.failures >= settings.retries || state.retries >= settings.lifetimeRetries) return false
  const most = Math.min(settings.longestBackoff, settings.backoff * 2 ** state.failures)
  state.failures++
  state.retries++
  state.retryAt = state.now + chance * most
  return true
}

/** The end that nobody asked for. */
function fail({ state, tell }: LinkDesk, error: LinkErrorCode, end: LinkEnd | undefined): void {
  state.over = true
  for (const connection of [state.leaving, state.serving, state.coming])
    if (connection) tell({ type: 'cut', generation: connection.generation })
  tell({ type: 'over', how: 'dropped', end, error })
}

// ── rollover ──

function planRollover(state: LinkState, generation: number, wanted: number): void {
  // A peer that sends each connection away at once must not keep us busy with nothing else.
  const at = Math.max(wanted, (state.rolledAt ?? -Infinity) + limits.betweenRollovers)
  for (const connection of [state.serving, state.coming])
    if (connection?.generation === generation) connection.rollAt = Math.min(connection.rollAt ?? at, at)
}

function rollOver(desk: LinkDesk): void {
  const { state, settings, tell } = desk
  const { serving } = state
  // Only what is due, and not while the next one is on its way already.
  if (!serving || (serving.rollAt ?? Infinity) > state.now) return
  if (state.coming || state.retryAt !== undefined) return
  serving.rollAt = undefined
  state.rolledAt = state.now
  state.rolling = true
  if (settings.order === 'new-first') return dial(desk)
  state.serving = undefined
  tell({ type: 'hold' })
  leave(desk, serving.generation, true)
  tell({ type: 'lost', end: { class: 'asked' } })
}

/** Its end was only announced. A peer that wants no second connection beside it must not see one: it is cut. */
function dismiss(desk: LinkDesk, generation: number): void {
  if (desk.settings.order === 'old-first') desk.tell({ type: 'cut', generation })
  else leave(desk, generation, false)
}

/** Sends its close frame. An old connection is heard to its end if the new one is dialled only then. */
function leave({ state, settings, tell }: LinkDesk, generation: number, thenDial: boolean): void {
  if (state.leaving) tell({ type: 'cut', generation: state.leaving.generation })
  state.leaving = { generation, cutAt: state.now + settings.closePatience, thenDial }
  if (!thenDial) tell({ type: 'fence', generation })
  tell({ type: 'close', generation })
}

function cutLeaving(desk: LinkDesk, generation: number): void {
  desk.tell({ type: 'cut', generation })
  left(desk)
}

function left(desk: LinkDesk): void {
  const { state } = desk
  const thenDial = state.leaving?.thenDial
  state.leaving = undefined
  if (thenDial) dial(desk)
}

function isAt(
  connection: Connection | undefined,
  generation: number,
  stage: Connection['stage'],
): connection is Connection {
  return connection?.generation === generation && connection.stage === stage
}
