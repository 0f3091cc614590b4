import { advance, changeTimers, type TimerCommand, type TimerEvent } from '../../scope/index.ts'

export type LeaseTimer = 'beat' | 'retry'

export type LeaseEvent = { readonly at: number } & (
  | { readonly type: 'start' }
  /** The journal has the host. */
  | { readonly type: 'joined' }
  /** The journal has renewed the lease. */
  | { readonly type: 'beaten' }
  /** The journal does not know the host any more: its lease was over, and its calls belong to others. */
  | { readonly type: 'declared-dead' }
  /** The calls of dead hosts were adopted: `more` if there are others. */
  | { readonly type: 'adopted'; readonly more: boolean }
  /** A request to the journal failed. */
  | { readonly type: 'failed' }
  /** Another host may have died, or left orders: look now, and not with the next beat. */
  | { readonly type: 'wake' }
  | { readonly type: 'leave' }
  | TimerEvent<LeaseTimer>
)

/** Each request is answered by an event, or by `failed`. There is one request at a time. */
export type LeaseCommand =
  | TimerCommand<LeaseTimer>
  /** Join the journal under a new id. */
  | { readonly type: 'join' }
  | { readonly type: 'beat' }
  /** Adopt the calls of hosts whose lease is over. */
  | { readonly type: 'adopt' }
  /** All calls of this host belong to others now: let go of them. */
  | { readonly type: 'let-go' }
  /** Give up the lease. Nothing follows. */
  | { readonly type: 'leave' }

export interface LeaseSettings {
  /** How long a lease lasts, in milliseconds. It is renewed three times as often. */
  readonly lease: number
  /** How long to wait after a failed request. */
  readonly retry: number
}

type Request = 'join' | 'beat' | 'adopt'

interface State {
  now: number
  timers: Partial<Record<LeaseTimer, number | undefined>>
  phase: 'new' | 'joining' | 'member' | 'left'
  /** The request that is under way. */
  pending: Request | undefined
  /** When the lease was last renewed, or asked for. */
  beatAt: number
  /** Whether to adopt when the request under way is done. */
  adopts: boolean
  /** Whether to beat then, ahead of time. */
  beatsNow: boolean
  retryAt: number | undefined
}

/**
 * A host's membership in its fleet. A pure machine: an event goes in, commands come out.
 *
 *            start            joined                beat every third of the lease, then adopt
 *      new ────────▶ joining ────────▶ member ──────────────────────────────────────────┐
 *                       ▲                │  ▲                                           │
 *                       └── let go ◀─────┘  └───────────────────────────────────────────┘
 *                            declared dead
 *      from anywhere: leave ─▶ left
 *
 * A request that fails is repeated after a pause. While the journal is away, nobody can adopt anything, so that a host whose
 * lease runs out meanwhile has lost nothing yet.
 */
export class LeaseMachine {
  readonly #settings: LeaseSettings
  readonly #state: State = {
    now: 0,
    timers: {},
    phase: 'new',
    pending: undefined,
    beatAt: 0,
    adopts: false,
    beatsNow: false,
    retryAt: undefined,
  }

  constructor(settings: LeaseSettings) {
    this.#settings = settings
  }

  get phase(): State['phase'] {
    return this.#state.phase
  }

  handle(event: LeaseEvent): LeaseCommand[] {
    const state = this.#state
    if (!advance(state, event) || state.phase === 'left') return []
    const commands = this.#react(event)
    return [...commands, ...this.#next(), ...changeTimers(state, this.#wanted())]
  }

  /** What the event changes. */
  #react(event: LeaseEvent): LeaseCommand[] {
    const state = this.#state
    switch (event.type) {
      case 'start':
        if (state.phase === 'new') state.phase = 'joining'
        break
      case 'joined':
        if (!this.#answers('join')) break
        state.phase = 'member'
        state.adopts = true
        break
      case 'beaten':
        if (this.#answers('beat')) state.adopts = true
        break
      case 'declared-dead':
        if (!this.#answers('beat')) break
        state.phase = 'joining'
        state.adopts = false
        return [{ type: 'let-go' }]
      case 'adopted':
        if (this.#answers('adopt')) state.adopts = event.more
        break
      case 'failed':
        if (state.pending !== undefined) state.retryAt = state.now + this.#settings.retry
        state.pending = undefined
        break
      case 'wake':
        state.beatsNow = state.phase === 'member'
        break
      case 'leave':
        state.phase = 'left'
        state.pending = undefined
        return [{ type: 'leave' }]
      case 'timer':
        if (event.timer === 'retry') state.retryAt = undefined
    }
    return []
  }

  /** Whether an event answers the request under way. */
  #answers(request: Request): boolean {
    if (this.#state.pending !== request) return false
    this.#state.pending = undefined
    return true
  }

  /** The next request, if none is under way. A beat comes before everything else. */
  #next(): LeaseCommand[] {
    const state = this.#state
    if (state.pending !== undefined || state.retryAt !== undefined) return []
    if (state.phase === 'joining') return this.#request('join')
    if (state.phase !== 'member') return []
    if (state.beatsNow || state.now >= this.#beatDue()) return this.#request('beat')
    return state.adopts ? this.#request('adopt') : []
  }

  #request(request: Request): LeaseCommand[] {
    const state = this.#state
    state.pending = request
    if (request !== 'adopt') {
      // From when it was asked for: the journal counts from later.
      state.beatAt = state.now
      state.beatsNow = false
    }
    return [{ type: request }]
  }

  #beatDue(): number {
    return this.#state.beatAt + this.#settings.lease / 3
  }

  #wanted(): Map<LeaseTimer, number> {
    const { phase, pending, retryAt } = this.#state
    const wanted = new Map<LeaseTimer, number>()
    if (phase === 'left') return wanted
    if (retryAt !== undefined) wanted.set('retry', retryAt)
    else if (phase === 'member' && pending === undefined) wanted.set('beat', this.#beatDue())
    return wanted
  }
}
