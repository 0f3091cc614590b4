import { advance, changeTimers, type TimerCommand, type TimerEvent } from '../../scope/index.ts'
import type { CloseAsk, HangUpOutcome } from './asks.ts'
import { drops, type CloseReason } from './close-reason.ts'
import { idleEnd, maxDurationWarning, warningAhead, WARNING_SHARE, type Cap } from './caps.ts'

/** The life of a session. `ending` is a graceful end in progress: a drain or a goodbye. */
export type SessionState = 'new' | 'live' | 'ending' | 'closing' | 'closed'

export type SessionTimer = 'stall' | 'limit' | 'max-duration-warning' | 'max-duration' | 'idle'

/** Everything that can end a session, and everything that shows whether a graceful end is stuck. */
export type SessionEvent = { readonly at: number } &
  /** The line and the models are open. */
  (
    | { readonly type: 'opened' }
    | EndEvent
    /** The turn in flight has finished: no speech, no reply, no tool is left. */
    | { readonly type: 'idle'; readonly ending: number }
    /** The goodbye has ended or, without a goodbye, the current speech. */
    | {
        readonly type: 'said'
        readonly ending: number
        readonly how?: 'played' | 'interrupted' | 'failed' | undefined
        readonly confirmed?: boolean | undefined
      }
    | { readonly type: 'close'; readonly ask: CloseAsk }
    /** The synchronous part of closing is done: the scope is closing. */
    | { readonly type: 'begun' }
    | { readonly type: 'closed' }
    /** Neither side has said anything for a while. */
    | { readonly type: 'user-idle' }
    | { readonly type: 'user-active' }
    /** A model or a voice failed. `canSpeak` is false if the voice itself did. */
    | { readonly type: 'part-failed'; readonly part: string; readonly canSpeak: boolean }
    /** A model answered, or a voice was heard. */
    | { readonly type: 'part-worked'; readonly part: string }
    /** An apology has ended. */
    | { readonly type: 'apologised' }
    /** The session has used this share of its budget; 1 is all of it. */
    | { readonly type: 'spent'; readonly share: number }
    | (TimerEvent<SessionTimer> & Activity)
  )

/** A request for a graceful end (CL3). */
export interface EndEvent extends Activity {
  readonly type: 'end'
  readonly id: number
  readonly ask: CloseAsk
  readonly say?: string | undefined
  readonly cancellable?: boolean
}

/** What makes progress in the session. Without any, a graceful end is stuck. */
export interface Activity {
  /** When something last made progress. */
  readonly movedAt: number
  /** Until when something makes progress on its own: sound on the line, a tool within its own timeout. */
  readonly busyUntil: number
}

export type SessionCommand =
  | TimerCommand<SessionTimer>
  /** Emit the new state. */
  | { readonly type: 'emit-state'; readonly state: SessionState }
  /** Start no new turns. With `bargeIn`, the caller can still interrupt what the agent says. */
  | { readonly type: 'stop-turns'; readonly ending: number; readonly bargeIn: boolean }
  /** Answer with `idle` once the turn in flight has finished. */
  | { readonly type: 'finish-turn'; readonly ending: number }
  /** Answer with `said` once the current speech has ended, and after it `say`, if given. */
  | {
      readonly type: 'say'
      readonly ending: number
      readonly say: string | undefined
      readonly interruptible: boolean
    }
  /** The turn in flight is stuck: stop it, so that the goodbye can be said. */
  | { readonly type: 'give-up-turn'; readonly ending: number }
  /** An answer failed: say so, and answer with `apologised` once that has ended. */
  | { readonly type: 'apologise'; readonly say: string }
  /** The end was cancelled: take turns again. */
  | { readonly type: 'resume' }
  | { readonly type: 'settle'; readonly ending: number; readonly outcome: HangUpOutcome }
  /** A cap will end the session soon. `left` is milliseconds, or the share of the budget. */
  | { readonly type: 'warn'; readonly reason: Cap; readonly left: number }
  | CloseCommand
  /** The session is closing already: note another request, which may bring the deadline nearer. */
  | { readonly type: 'close-again'; readonly ask: CloseAsk }

/**
 * Close now. If a graceful end was in progress, it either names the reason, and `also` is the request that cut it short,
 * or it was cut off by a drop, and `cutOff` is the graceful end.
 */
export interface CloseCommand {
  readonly type: 'close'
  readonly ask: CloseAsk
  readonly also: CloseAsk | undefined
  readonly cutOff: { readonly ask: CloseAsk; readonly askedAt: number } | undefined
}

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

interface State {
  now: number
  timers: Partial<Record<SessionTimer, number | undefined>>
  phase: SessionState
  ending: Ending | undefined
  /** Drains that were requested during another graceful end: they begin if that end is cancelled. */
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
  readonly #state: State = {
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
  }

  constructor(settings: SessionMachineSettings) {
    this.#settings = settings
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
        if (phase === 'live') return this.#end(event)
        if (phase === 'ending') state.drains.push(event)
        return phase === 'new' ? this.#close(event.ask) : []
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
    if (idleTimeout === undefined) return []
    const left = idleEnd(idleTimeout)
    this.#state.idleAt = this.#state.now + left
    return [{ type: 'warn', reason: 'idle', left }]
  }

  #spent(share: number, at: number): SessionCommand[] {
    const state = this.#state
    const commands: SessionCommand[] = []
    if (share >= WARNING_SHARE && !state.budgetWarned) {
      state.budgetWarned = true
      commands.push({ type: 'warn', reason: 'budget', left: Math.max(0, 1 - share) })
    }
    if (share < 1 || state.budgetSpent) return commands
    state.budgetSpent = true
    return [...commands, ...this.#endBy('budget', { movedAt: at, busyUntil: 0 })]
  }

  #endBy(reason: CloseReason & Cap, activity: Activity): SessionCommand[] {
    if (this.#state.phase !== 'live') return []
    const say = this.#settings.goodbye[reason]
    return this.#end({ type: 'end', id: 0, ask: { reason, by: 'cap' }, say, ...activity })
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
