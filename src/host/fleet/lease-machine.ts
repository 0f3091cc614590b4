import { advance, changeTimers, type Random, type TimerCommand, type TimerEvent } from '../../scope/index.ts'

export type LeaseTimer = 'beat' | 'adopt' | 'retry'

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
  /** The orphans of this host were looked up. */
  | { readonly type: 'recovered' }
  /** A request to the journal failed, or was not answered in time. */
  | { readonly type: 'failed' }
  /** The journal may have made orphans of calls without this host's knowledge: the answer was lost. */
  | { readonly type: 'unsure' }
  /** There may be orders: look now, and not with the next beat. */
  | { readonly type: 'wake' }
  /** The host gives up its lease. Nothing follows. */
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
  /** Look up the orphans of this host. */
  | { readonly type: 'recover' }
  /** All calls of this host belong to others now: let go of them. */
  | { readonly type: 'let-go' }

export interface LeaseSettings {
  /** How long a lease lasts, in milliseconds. It is renewed three times as often. */
  readonly lease: number
  /** How long to wait after a failed request, on average, and at least between two beats. */
  readonly retry: number
  /** How long beats must have succeeded without a break before this host adopts calls. */
  readonly grace: number
  /** How long to wait, on average, before more calls are adopted. */
  readonly adoptPause: number
  readonly random: Random
}

type Request = 'join' | 'beat' | 'adopt' | 'recover'

interface State {
  now: number
  timers: Partial<Record<LeaseTimer, number | undefined>>
  phase: 'new' | 'joining' | 'member' | 'left'
  /** The request that is under way. */
  pending: Request | undefined
  /** When the lease was last renewed, or asked for. */
  beatAt: number
  /** When to beat next. */
  beatDue: number
  /** Since when every beat was answered, and soon. */
  steadySince: number | undefined
  /** When to adopt. Undefined until the next beat has succeeded. */
  adoptDue: number | undefined
  /** Whether to look up the orphans of this host. */
  recovers: boolean
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
 * A request that fails is repeated after a pause. After an outage of the journal, the leases of all hosts are over, and the
 * first host to come back would take all others for dead. So a host only adopts after a time of `grace` in which all its
 * beats were answered: by then, every host that lives has renewed its lease.
 *
 * All times are spread at random, so that the hosts of a large fleet do not ask all at once.
 */
export class LeaseMachine {
  readonly #settings: LeaseSettings
  readonly #state: State = {
    now: 0,
    timers: {},
    phase: 'new',
    pending: undefined,
    beatAt: 0,
    beatDue: 0,
    steadySince: undefined,
    adoptDue: undefined,
    recovers: false,
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
        this.#renewed()
        break
      case 'beaten':
        if (this.#answers('beat')) this.#renewed()
        break
      case 'declared-dead':
        if (!this.#answers('beat')) break
        state.phase = 'joining'
        state.steadySince = undefined
        state.adoptDue = undefined
        state.recovers = false
        return [{ type: 'let-go' }]
      case 'adopted':
        if (!this.#answers('adopt')) break
        state.adoptDue = event.more ? state.now + this.#spread(this.#settings.adoptPause) : undefined
        break
      case 'recovered':
        if (this.#answers('recover')) state.recovers = false
        break
      case 'failed':
        this.#failed()
        break
      case 'unsure':
        state.recovers = state.phase === 'member'
        break
      case 'wake':
        if (state.phase === 'member')
          state.beatDue = Math.min(state.beatDue, state.beatAt + this.#settings.retry)
        break
      case 'leave':
        state.phase = 'left'
        break
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

  #renewed(): void {
    const state = this.#state
    // An answer that took long may mean an outage, in which other hosts could not renew their leases.
    if (state.now - state.beatAt > this.#settings.lease / 10) state.steadySince = undefined
    state.steadySince ??= state.now
    state.adoptDue = state.now
  }

  #failed(): void {
    const state = this.#state
    const { pending } = state
    if (pending === undefined) return
    state.pending = undefined
    state.retryAt = state.now + this.#spread(this.#settings.retry)
    if (pending === 'join' || pending === 'beat') {
      state.steadySince = undefined
      state.beatDue = state.retryAt
    }
  }

  /** The next request, if none is under way. A beat comes before everything else. */
  #next(): LeaseCommand[] {
    const { phase, pending, retryAt, now, beatDue, recovers } = this.#state
    if (pending !== undefined || retryAt !== undefined) return []
    if (phase === 'joining') return this.#request('join')
    if (phase !== 'member') return []
    if (now >= beatDue) return this.#request('beat')
    if (recovers) return this.#request('recover')
    return now >= this.#adoptAt() ? this.#request('adopt') : []
  }

  #request(request: Request): LeaseCommand[] {
    const state = this.#state
    state.pending = request
    if (request === 'join' || request === 'beat') {
      // From when it was asked for: the journal counts from later.
      state.beatAt = state.now
      state.beatDue = state.now + (this.#settings.lease / 3) * (0.8 + 0.2 * this.#settings.random.next())
    }
    return [{ type: request }]
  }

  /** When to adopt: not before the beats have succeeded for long enough. */
  #adoptAt(): number {
    const { adoptDue = Infinity, steadySince = Infinity } = this.#state
    return Math.max(adoptDue, steadySince + this.#settings.grace)
  }

  /** A time of `ms` on average. */
  #spread(ms: number): number {
    return ms * (0.5 + this.#settings.random.next())
  }

  #wanted(): Map<LeaseTimer, number> {
    const { phase, pending, retryAt, beatDue } = this.#state
    const wanted = new Map<LeaseTimer, number>()
    if (phase === 'left') return wanted
    if (retryAt !== undefined) return wanted.set('retry', retryAt)
    if (phase !== 'member' || pending !== undefined) return wanted
    wanted.set('beat', beatDue)
    const adoptAt = this.#adoptAt()
    if (adoptAt < Infinity) wanted.set('adopt', adoptAt)
    return wanted
  }
}
