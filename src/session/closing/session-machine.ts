import { advance, changeTimers } from '../../scope/index.ts'
import type { CloseAsk } from './asks.ts'
import { idleEnd, maxDurationWarning, warningAhead, WARNING_SHARE, type Cap } from './caps.ts'
import { drops, type CloseReason } from './close-reason.ts'
import type {
  Activity,
  EndEvent,
  SessionCommand,
  SessionEvent,
  SessionState,
  SessionTimer,
} from './session-events.ts'

export interface SessionMachineSettings {
  readonly stallTimeout: number
  readonly endTimeout?: number | undefined
  readonly maxDuration?: number | undefined
  readonly idleTimeout?: number | undefined
  /** What to say before a cap ends the session. */
  readonly goodbye: Partial<Record<Cap, string>>
  /** How often in a row a part may fail, and what to say then. */
  readonly maxFailures: number
  readonly apology: { readonly again: string; readonly end: string }
}

/** A graceful end in progress. Its request names the reason, whatever closes the session in the end (CL2). */
interface Ending {
  readonly id: number
  readonly ask: CloseAsk
  readonly askedAt: number
  readonly say: string | undefined
  readonly cancellable: boolean
  step: 'finishing' | 'goodbye'
  /** When it counts as stuck, unless something makes progress before. */
  stallAt: number
}

/** The whole state of a session machine, as plain data. */
export interface SessionMachineState {
  now: number
  timers: Partial<Record<SessionTimer, number | undefined>>
  phase: SessionState
  ending: Ending | undefined
  /** Drains and caps that came during another graceful end: they begin if that end is cancelled. */
  readonly drains: EndEvent[]
  liveSince: number
  maxDurationWarned: boolean
  maxDurationReached: boolean
  idleAt: number | undefined
  budgetWarned: boolean
  budgetSpent: boolean
  /** How often each part has failed in a row. */
  readonly failures: Map<string, number>
  apologising: boolean
  /** Whether the synchronous part of closing is done, and the requests to close that came during it. */
  begun: boolean
  readonly meanwhile: CloseAsk[]
}

const newState = (): SessionMachineState => ({
  now: 0,
  timers: {},
  phase: 'new',
  ending: undefined,
  drains: [],
  liveSince: 0,
  maxDurationWarned: false,
  maxDurationReached: false,
  idleAt: undefined,
  budgetWarned: false,
  budgetSpent: false,
  failures: new Map(),
  apologising: false,
  begun: false,
  meanwhile: [],
})

/**
 * The life of a session. A pure machine: an event goes in, commands come out.
 *
 *              opened                end: drain, goodbye, cap
 *      new ─────────────▶ live ──────────────────────────────▶ ending: finishing ── idle ──▶ ending: goodbye
 *       │                  │ ▲                                   │ stall, limit              │   │
 *       │                  │ └────────── cancelled by the caller ┼───────────────────────────┘   │ said
 *       │ close            │ close                               ▼                               ▼
 *       └──────────────────┴─────────────────────────────────▶ closing ── report ──▶ closed
 *
 * The caps (CL14) are timers and counts in here: each warns first, then ends the session with a goodbye. So are failures of
 * models and voices (FA2): each is followed by an apology, and the last one ends the session.
 */
export class SessionMachine {
  readonly #settings: SessionMachineSettings
  readonly #state: SessionMachineState

  constructor(settings: SessionMachineSettings, state = newState()) {
    this.#settings = settings
    this.#state = state
  }

  get state(): Readonly<SessionMachineState> {
    return this.#state
  }

  get phase(): SessionState {
    return this.#state.phase
  }

  get isClosing(): boolean {
    return this.#state.phase === 'closing' || this.#state.phase === 'closed'
  }

  /** The number of the graceful end in progress. */
  get ending(): number | undefined {
    return this.#state.ending?.id
  }

  handle(event: SessionEvent): SessionCommand[] {
    const state = this.#state
    if (!advance(state, event)) return []
    const commands = this.#take(event)
    return [...changeTimers(state, this.#timers()), ...commands]
  }

  #take(event: SessionEvent): SessionCommand[] {
    const state = this.#state
    const { phase, ending } = state
    switch (event.type) {
      case 'opened':
        if (phase !== 'new') return []
        state.phase = 'live'
        state.liveSince = state.now
        return [{ type: 'emit-state', state: 'live' }]
      case 'end':
        return this.#endRequested(event)
      case 'idle':
        return ending?.id === event.ending && ending.step === 'finishing' ? this.#goodbye(ending) : []
      case 'said':
        return ending?.id === event.ending ? this.#said(ending, event.how, event.confirmed) : []
      case 'close':
        if (phase === 'closed') return []
        if (phase !== 'closing') return this.#close(event.ask)
        if (state.begun) return [{ type: 'close-again', ask: event.ask }]
        state.meanwhile.push(event.ask)
        return []
      case 'begun':
        state.begun = true
        return state.meanwhile.splice(0).map((ask) => ({ type: 'close-again', ask }))
      case 'closed':
        state.phase = 'closed'
        return [{ type: 'emit-state', state: 'closed' }]
      case 'user-idle':
        return this.#userIdle()
      case 'user-active':
        state.idleAt = undefined
        return []
      case 'spent':
        return this.#spent(event.share, event.at)
      case 'part-failed':
        return this.#partFailed(event.part, event.canSpeak, event.at)
      case 'part-worked':
        state.failures.delete(event.part)
        return []
      case 'apologised':
        state.apologising = false
        return []
      case 'timer':
        break
    }
    return this.#timer(event)
  }

  // ── graceful ends ──

  #endRequested(event: EndEvent): SessionCommand[] {
    const { phase, drains } = this.#state
    if (phase === 'live') return this.#end(event)
    if (phase === 'ending') drains.push(event)
    return phase === 'new' ? this.#close(event.ask) : []
  }

  /** Begins a graceful end. The turn in flight finishes first, unless one of its own tools requested the end. */
  #end({ id, ask, say, cancellable = false, movedAt, busyUntil }: EndEvent): SessionCommand[] {
    const state = this.#state
    const stallAt = Math.max(state.now, movedAt, busyUntil) + this.#settings.stallTimeout
    const ending: Ending = { id, ask, askedAt: state.now, say, cancellable, step: 'finishing', stallAt }
    state.phase = 'ending'
    state.ending = ending
    return [
      { type: 'emit-state', state: 'ending' },
      { type: 'stop-turns', ending: id, bargeIn: cancellable },
      ...(ask.from ? this.#goodbye(ending) : [{ type: 'finish-turn', ending: id } as const]),
    ]
  }

  #goodbye(ending: Ending): SessionCommand[] {
    ending.step = 'goodbye'
    const { id, say, cancellable } = ending
    return [{ type: 'say', ending: id, say, interruptible: cancellable }]
  }

  #said(ending: Ending, how: string | undefined, confirmed = false): SessionCommand[] {
    const state = this.#state
    const { id, ask, say, cancellable } = ending
    if (cancellable && how === 'interrupted') {
      state.phase = 'live'
      state.ending = undefined
      const drain = state.drains.shift()
      return [
        { type: 'settle', ending: id, outcome: 'cancelled' },
        { type: 'resume' },
        { type: 'emit-state', state: 'live' },
        ...(drain ? this.#end({ ...drain, movedAt: state.now, busyUntil: 0 }) : []),
      ]
    }
    state.ending = undefined
    const outcome = say === undefined || (how === 'played' && confirmed) ? 'confirmed' : 'unconfirmed'
    return [{ type: 'settle', ending: id, outcome }, ...this.#close(ask)]
  }

  // ── closing ──

  /** The first trigger names the reason (CL2), except that a drop during a goodbye is a drop. */
  #close(ask: CloseAsk): SessionCommand[] {
    const state = this.#state
    const { ending } = state
    state.phase = 'closing'
    state.ending = undefined
    if (!ending) return [{ type: 'close', ask, also: undefined, cutOff: undefined }]
    const settle: SessionCommand = { type: 'settle', ending: ending.id, outcome: 'unconfirmed' }
    if (drops.has(ask.reason) && ask.reason !== ending.ask.reason)
      return [{ type: 'close', ask, also: undefined, cutOff: ending }, settle]
    const { reason, by } = ending.ask
    const also = ask === ending.ask ? undefined : ask
    return [{ type: 'close', ask: { ...ask, reason, by }, also, cutOff: undefined }, settle]
  }

  // ── failures ──

  /** An apology that fails as well counts, but is not followed by another apology. */
  #partFailed(part: string, canSpeak: boolean, at: number): SessionCommand[] {
    const state = this.#state
    const { maxFailures, apology } = this.#settings
    const failures = (state.failures.get(part) ?? 0) + 1
    state.failures.set(part, failures)
    if (state.phase !== 'live') return []
    if (failures >= maxFailures) {
      const say = canSpeak && apology.end !== '' ? apology.end : undefined
      return this.#end({
        type: 'end',
        id: 0,
        ask: { reason: 'error', by: part },
        say,
        movedAt: at,
        busyUntil: 0,
      })
    }
    if (!canSpeak || state.apologising || apology.again === '') return []
    state.apologising = true
    return [{ type: 'apologise', say: apology.again }]
  }

  // ── caps ──

  #userIdle(): SessionCommand[] {
    const { idleTimeout } = this.#settings
    if (idleTimeout === undefined || this.isClosing) return []
    const left = idleEnd(idleTimeout)
    this.#state.idleAt = this.#state.now + left
    return [{ type: 'warn', reason: 'idle', left }]
  }

  #spent(share: number, at: number): SessionCommand[] {
    const state = this.#state
    const commands: SessionCommand[] = []
    if (this.isClosing) return commands
    if (share >= WARNING_SHARE && !state.budgetWarned) {
      state.budgetWarned = true
      commands.push({ type: 'warn', reason: 'budget', left: Math.max(0, 1 - share) })
    }
    if (share < 1 || state.budgetSpent) return commands
    state.budgetSpent = true
    return [...commands, ...this.#endBy('budget', { movedAt: at, busyUntil: 0 })]
  }

  #endBy(reason: CloseReason & Cap, activity: Activity): SessionCommand[] {
    // A caller who cancels a graceful end is not idle.
    if (reason === 'idle' && this.#state.phase === 'ending') return []
    const say = this.#settings.goodbye[reason]
    return this.#endRequested({ type: 'end', id: 0, ask: { reason, by: 'cap' }, say, ...activity })
  }

  // ── timers ──

  #timer(event: SessionEvent & { type: 'timer' }): SessionCommand[] {
    const state = this.#state
    const { ending } = state
    switch (event.timer) {
      case 'stall': {
        if (!ending) return []
        const { stallTimeout } = this.#settings
        ending.stallAt = Math.max(event.movedAt, event.busyUntil) + stallTimeout
        if (ending.stallAt > state.now) return []
        // The caller still hears the goodbye, although the turn before it is stuck.
        if (ending.step === 'finishing' && ending.say !== undefined) {
          ending.stallAt = state.now + stallTimeout
          return [{ type: 'give-up-turn', ending: ending.id }, ...this.#goodbye(ending)]
        }
        return this.#close({ ...ending.ask, by: 'stallTimeout' })
      }
      case 'limit':
        return ending ? this.#close({ ...ending.ask, by: 'endTimeout' }) : []
      case 'max-duration-warning': {
        state.maxDurationWarned = true
        const left = warningAhead(this.#settings.maxDuration!)
        return [{ type: 'warn', reason: 'max-duration', left }]
      }
      case 'max-duration':
        state.maxDurationReached = true
        return this.#endBy('max-duration', event)
      case 'idle':
        break
    }
    state.idleAt = undefined
    return this.#endBy('idle', event)
  }

  #timers(): Map<SessionTimer, number> {
    const { phase, ending, liveSince, maxDurationWarned, maxDurationReached, idleAt } = this.#state
    const { endTimeout, maxDuration } = this.#settings
    const timers = new Map<SessionTimer, number>()
    if (phase !== 'live' && phase !== 'ending') return timers
    if (ending) timers.set('stall', ending.stallAt)
    if (ending && endTimeout !== undefined) timers.set('limit', ending.askedAt + endTimeout)
    if (maxDuration !== undefined && !maxDurationWarned)
      timers.set('max-duration-warning', liveSince + maxDurationWarning(maxDuration))
    if (maxDuration !== undefined && !maxDurationReached) timers.set('max-duration', liveSince + maxDuration)
    if (idleAt !== undefined) timers.set('idle', idleAt)
    return timers
  }
}
