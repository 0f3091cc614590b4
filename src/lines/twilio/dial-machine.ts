import {
  advance,
  changeTimer,
  type TimedState,
  type TimerCommand,
  type TimerEvent,
} from '../../scope/index.ts'
import { limits } from './limits.ts'

/**
 * How an attempt to call somebody ended. `machine`: an answering machine or a fax answered. `cancelled`: by us. `unknown`: the
 * carrier never said; nothing rings any more, as far as it can be asked.
 */
export type DialOutcome =
  | 'answered'
  | 'busy'
  | 'no-answer'
  | 'rejected'
  | 'failed'
  | 'machine'
  | 'cancelled'
  | 'unknown'

type DialTimer = 'limit'

export type DialEvent = { readonly at: number } & (
  | /** Its turn has come. */ { readonly type: 'go' }
  /** The carrier has made the call. */
  | { readonly type: 'created'; readonly id: string }
  /** The carrier has refused to make it. */
  | { readonly type: 'refused'; readonly why: string }
  /** The carrier did not answer, or with an error of its own: the phone may ring or not. */
  | { readonly type: 'silent'; readonly why: string }
  /** The carrier reports how the call is. Reports come twice, late, and in any order. */
  | { readonly type: 'report'; readonly id: string; readonly ended?: DialOutcome | undefined }
  /** Somebody has answered: the carrier asks what to do. */
  | { readonly type: 'asked'; readonly id: string; readonly machine: boolean }
  | { readonly type: 'cancel'; readonly why?: string }
  /** The request to end the call is done with. */
  | { readonly type: 'hung-up'; readonly confirmed: boolean }
  | TimerEvent<DialTimer>
)

export type DialCommand =
  | TimerCommand<DialTimer>
  /** Ask the carrier to make the call. Never repeated: the phone could ring twice. */
  | { readonly type: 'create' }
  /** Ask the carrier to end the call, as often as needed. Answer with `hung-up`. */
  | { readonly type: 'hang-up'; readonly id: string }
  | { readonly type: 'settle'; readonly outcome: DialOutcome; readonly why?: string }

interface State extends TimedState<DialTimer> {
  phase: 'queued' | 'creating' | 'ringing' | 'settled'
  id: string | undefined
  dueAt: number | undefined
  /** The outcome once the call is known to have ended, if we end it. */
  ending: DialOutcome | undefined
  hangingUp: boolean
  hasEnded: boolean
  why: string | undefined
  outcome: DialOutcome | undefined
}

export interface DialMachineSettings {
  /** How long it may ring, in milliseconds. */
  readonly ringTimeout: number
  /** Whether the call is ended if a machine answers. */
  readonly refusesMachines: boolean
}

/**
 * One attempt to call somebody. A pure machine: an event goes in, commands come out.
 *
 *   queued ── go ──▶ creating ── created, silent ──▶ ringing ── asked ──▶ settled: answered, machine
 *     │ cancel          │ refused                       │ report: ended ─▶ settled: busy, no-answer, …
 *     ▼                 ▼                               │ cancel, limit ─▶ hang up ─▶ settled: cancelled, unknown
 *   settled           settled                           ▼
 *
 * The outcome settles once (DI1). Nothing rings on: whenever the name of a call becomes known that nobody waits for, the call is
 * ended, even after the outcome (DI2).
 */
export class DialMachine {
  readonly #settings: DialMachineSettings
  readonly #state: State = {
    now: 0,
    timers: {},
    phase: 'queued',
    id: undefined,
    dueAt: undefined,
    ending: undefined,
    hangingUp: false,
    hasEnded: false,
    why: undefined,
    outcome: undefined,
  }

  constructor(settings: DialMachineSettings) {
    this.#settings = settings
  }

  get id(): string | undefined {
    return this.#state.id
  }

  get outcome(): DialOutcome | undefined {
    return this.#state.outcome
  }

  handle(event: DialEvent): DialCommand[] {
    const state = this.#state
    if (!advance(state, event)) return []
    const commands = this.#take(event)
    return [...changeTimer(state, 'limit', state.dueAt), ...commands]
  }

  #take(event: DialEvent): DialCommand[] {
    const state = this.#state
    switch (event.type) {
      case 'go':
        if (state.phase !== 'queued') return []
        state.phase = 'creating'
        return [{ type: 'create' }]
      case 'created':
        return [...this.#ring(), ...this.#known(event.id)]
      case 'silent':
        state.why = event.why
        return this.#ring()
      case 'refused':
        state.hasEnded = true
        state.why = event.why
        return this.#settle(state.ending ?? 'failed')
      case 'report':
        if (event.ended === undefined) return [...this.#ring(), ...this.#known(event.id)]
        state.id ??= event.id
        state.hasEnded = true
        return this.#settle(state.ending ?? event.ended)
      case 'asked':
        return this.#asked(event.id, event.machine)
      case 'cancel':
        return this.#cancel(event.why)
      case 'hung-up':
        state.hangingUp = false
        if (event.confirmed) state.hasEnded = true
        return this.#settle(event.confirmed ? (state.ending ?? 'unknown') : 'unknown')
      case 'timer':
        break
    }
    state.dueAt = undefined
    state.why ??= 'the carrier has not said how it ended'
    state.ending ??= 'unknown'
    return state.id === undefined ? this.#settle('unknown') : this.#hangUp()
  }

  /** The carrier has the request, or may have it. */
  #ring(): DialCommand[] {
    const state = this.#state
    if (state.phase !== 'creating') return []
    state.phase = 'ringing'
    const ring = this.#settings.ringTimeout + limits.dialSlack
    state.dueAt = state.now + (state.ending === undefined ? ring : limits.longestHangUp)
    return []
  }

  /** The name of the call is known. */
  #known(id: string): DialCommand[] {
    const state = this.#state
    state.id ??= id
    const unwanted = state.ending !== undefined || (state.phase === 'settled' && state.outcome !== 'answered')
    return unwanted ? this.#hangUp() : []
  }

  #asked(id: string, machine: boolean): DialCommand[] {
    const state = this.#state
    const commands = [...this.#ring(), ...this.#known(id)]
    if (state.phase === 'settled' || state.ending !== undefined) return commands
    if (!machine || !this.#settings.refusesMachines) return this.#settle('answered')
    return [...this.#settle('machine'), ...this.#hangUp()]
  }

  #cancel(why: string | undefined): DialCommand[] {
    const state = this.#state
    if (state.phase === 'settled') return []
    state.why ??= why
    state.ending ??= 'cancelled'
    if (state.phase === 'queued') return this.#settle('cancelled')
    // The first webhook gives its name, if the phone rings at all.
    if (state.id === undefined && state.phase === 'ringing') state.dueAt = state.now + limits.longestHangUp
    return state.id === undefined ? [] : this.#hangUp()
  }

  #hangUp(): DialCommand[] {
    const state = this.#state
    if (state.hangingUp || state.hasEnded || state.id === undefined) return []
    state.hangingUp = true
    return [{ type: 'hang-up', id: state.id }]
  }

  #settle(outcome: DialOutcome): DialCommand[] {
    const state = this.#state
    if (state.phase === 'settled') return []
    state.phase = 'settled'
    state.dueAt = undefined
    state.outcome = outcome
    const { why } = state
    return [{ type: 'settle', outcome, ...(why === undefined ? {} : { why }) }]
  }
}
