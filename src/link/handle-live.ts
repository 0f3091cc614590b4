import type { LinkEnd } from './link-end.ts'
import type { LinkErrorCode } from './link-error.ts'
import type { EndedEvent, LinkEvent, LinkTimer } from './link-events.ts'
import { rolloverDue, type ConnectionState, type LinkState, type LinkStep } from './link-state.ts'

/** Handles an event of a link that is not closing. Only these rules emit `dial`. */
export function handleLive(step: LinkStep, event: LinkEvent): void {
  const { state } = step
  switch (event.type) {
    case 'start':
      state.startedAt = state.now
      return dial(step)
    case 'opened':
      if (isAt(state.next, event.generation, 'dialling')) state.next.stage = 'open'
      return
    case 'ready':
      return isAt(state.next, event.generation, 'open') ? use(step, state.next) : undefined
    case 'answered':
      return noteAnswer(state, event.generation)
    case 'ended':
      return connectionEnded(step, event)
    case 'roll-over':
      planRollover(state, event.generation, state.now + event.after)
      return event.after > 0 ? undefined : rollOver(step)
    case 'wake':
      if (!state.idle) return
      state.idle = false
      return dial(step)
    case 'overflow':
      return fail(step, 'LINK_OVERFLOW', state.last)
    case 'invalid':
      return fail(step, 'LINK_INVALID', { class: 'fatal', reason: event.problem })
    case 'broken':
      return fail(step, 'LINK_FATAL', state.last)
    case 'timer':
      return timerFired(step, event.timer, event.jitter)
    case 'intent':
    case 'close':
    case 'abort':
    case 'acknowledged':
      // Only a closing link handles these.
      return
  }
}

function timerFired(step: LinkStep, timer: LinkTimer, jitter: number): void {
  const { state } = step
  switch (timer) {
    case 'open':
      return fail(step, 'LINK_TIMEOUT', state.last)
    case 'handshake': {
      const { next } = state
      if (!next) return
      step.emit({ type: 'cut', generation: next.generation })
      const end: LinkEnd = { class: 'refused', reason: 'not ready in time' }
      return nextEnded(step, end, true, jitter, 'LINK_TIMEOUT')
    }
    case 'retry':
      state.retryAt = undefined
      return dial(step)
    case 'roll-over':
      return rollOver(step)
    case 'retire':
      return state.retiring ? cutRetiring(step, state.retiring.generation) : undefined
    case 'acknowledgement':
    case 'close-frame':
      return
  }
}

function dial({ state, emit }: LinkStep): void {
  const generation = ++state.generation
  state.next = { generation, stage: 'dialling', since: state.now, answered: false, rollOverAt: undefined }
  emit({ type: 'dial', generation })
}

/** The setup is done: `connection` replaces the current one, whose messages are ignored from now on. */
function use(step: LinkStep, connection: ConnectionState): void {
  const { state, settings, emit } = step
  const old = state.current
  connection.stage = 'ready'
  connection.since = state.now
  state.current = connection
  state.next = undefined
  state.rollingOver = false
  state.disconnected = false
  state.wasReady = true
  if (settings.maxAge !== undefined) planRollover(state, connection.generation, state.now + settings.maxAge)
  if (old) retire(step, old.generation, false)
  emit({ type: 'use', generation: connection.generation })
  if (old) emit({ type: 'lost', end: { class: 'asked' } })
}

function noteAnswer(state: LinkState, generation: number): void {
  if (state.current?.generation !== generation) return
  state.current.answered = true
  state.idleEnds = 0
}

// ── ends ──

function connectionEnded(step: LinkStep, event: EndedEvent): void {
  const { state } = step
  const { generation, end, socketOpen, resumable, jitter, silentFor = 0 } = event
  if (state.retiring?.generation === generation) return socketOpen ? undefined : retiringEnded(step)
  const isCurrent = state.current?.generation === generation
  if (!isCurrent && state.next?.generation !== generation) return
  state.last = end
  if (socketOpen) dismiss(step, generation)
  if (isCurrent) currentEnded(step, end, resumable, jitter, silentFor)
  else nextEnded(step, end, resumable, jitter)
}

function currentEnded(
  step: LinkStep,
  end: LinkEnd,
  resumable: boolean,
  jitter: number,
  silentFor: number,
): void {
  const { state, settings, emit } = step
  const { answered, since } = state.current!
  // A peer that is silent on every connection must use up the retries, however long each silence lasts.
  const healthy = answered && state.now - silentFor - since >= settings.healthyAfter
  if (healthy) state.failures = 0
  state.current = undefined
  emit({ type: 'hold' })
  const idle = end.class === 'idle' && ++state.idleEnds < 2
  state.disconnected = !idle
  const isReplaced = state.next !== undefined || state.retryAt !== undefined
  if (end.class === 'fatal') return fail(step, 'LINK_FATAL', end)
  if (!resumable && !idle) return fail(step, 'LINK_LOST', end)
  if (isReplaced) state.rollingOver = false
  else if (idle) state.idle = true
  else if (end.class === 'expired' && healthy) {
    state.disconnected = false
    state.rollingOver = true
    dial(step)
  } else if (!retry(step, jitter)) return fail(step, 'LINK_FAILED', end)
  emit({ type: 'lost', end })
}

/** The next connection ended before it was ready. */
function nextEnded(
  step: LinkStep,
  end: LinkEnd,
  resumable: boolean,
  jitter: number,
  code: LinkErrorCode = 'LINK_FAILED',
): void {
  const { state } = step
  state.last = end
  state.next = undefined
  state.rollingOver = false
  const fatal = end.class === 'fatal'
  if (state.current) {
    // A rollover failed: the old connection stays in use while it lasts.
    if (!fatal) retry(step, jitter)
    return
  }
  state.disconnected = state.wasReady
  if (fatal) return fail(step, end.status === undefined ? 'LINK_FATAL' : 'LINK_REFUSED', end)
  if (!resumable) return fail(step, 'LINK_LOST', end)
  if (!retry(step, jitter)) return fail(step, code, end)
}

/** Plans the next attempt with full jitter. Returns false if the retry budget is spent (LK3). */
function retry({ state, settings }: LinkStep, jitter: number): boolean {
  if (state.failures >= settings.retries || state.retries >= settings.lifetimeRetries) return false
  const longest = Math.min(settings.longestBackoff, settings.backoff * 2 ** state.failures)
  state.failures++
  state.retries++
  state.retryAt = state.now + jitter * longest
  return true
}

function fail({ state, emit }: LinkStep, error: LinkErrorCode, end: LinkEnd | undefined): void {
  state.closed = true
  for (const connection of [state.retiring, state.current, state.next])
    if (connection) emit({ type: 'cut', generation: connection.generation })
  emit({ type: 'closed', how: 'dropped', end, error })
}

// ── rollover ──

function planRollover(state: LinkState, generation: number, at: number): void {
  for (const connection of [state.current, state.next])
    if (connection?.generation === generation)
      connection.rollOverAt = Math.min(connection.rollOverAt ?? at, at)
}

function rollOver(step: LinkStep): void {
  const { state, settings, emit } = step
  const { current } = state
  const due = rolloverDue(state)
  if (!current || due === undefined || due > state.now) return
  if (state.next || state.retryAt !== undefined) return
  state.earlyRollovers = due === current.rollOverAt ? 0 : state.earlyRollovers + 1
  current.rollOverAt = undefined
  state.rolledOverAt = state.now
  state.rollingOver = true
  if (settings.order === 'new-first') return dial(step)
  state.current = undefined
  emit({ type: 'hold' })
  retire(step, current.generation, true)
  emit({ type: 'lost', end: { class: 'asked' } })
}

/** Ends a connection whose end was only announced. A peer that allows one connection at a time gets no second one. */
function dismiss(step: LinkStep, generation: number): void {
  if (step.settings.order === 'old-first') step.emit({ type: 'cut', generation })
  else retire(step, generation, false)
}

/** Sends the close frame. Messages of the old connection still count if the next one is dialled only after its end. */
function retire({ state, settings, emit }: LinkStep, generation: number, thenDial: boolean): void {
  if (state.retiring) emit({ type: 'cut', generation: state.retiring.generation })
  state.retiring = { generation, cutAt: state.now + settings.closePatience, thenDial }
  if (!thenDial) emit({ type: 'fence', generation })
  emit({ type: 'close', generation })
}

function cutRetiring(step: LinkStep, generation: number): void {
  step.emit({ type: 'cut', generation })
  retiringEnded(step)
}

function retiringEnded(step: LinkStep): void {
  const { state } = step
  const thenDial = state.retiring?.thenDial
  state.retiring = undefined
  if (thenDial) dial(step)
}

function isAt(
  connection: ConnectionState | undefined,
  generation: number,
  stage: ConnectionState['stage'],
): connection is ConnectionState {
  return connection?.generation === generation && connection.stage === stage
}
