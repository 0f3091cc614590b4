import {
  advance,
  changeTimer,
  type TimedState,
  type TimerCommand,
  type TimerEvent,
} from '../../scope/index.ts'
import type { TransferOutcome, TransferResult } from '../../parts/index.ts'
import type { DialOutcome } from './dial-machine.ts'
import { limits } from './limits.ts'

/** One of the two people who are to be connected. */
export type Party = 'caller' | 'person'

type Found = 'live' | 'ended' | 'unknown'

type WarmTimer = 'limit'

export type WarmEvent = { readonly at: number } & (
  | { readonly type: 'go' }
  /** The attempt to call the person has an outcome. */
  | { readonly type: 'dialled'; readonly outcome: DialOutcome; readonly why?: string | undefined }
  /** The person's call has begun: there is a line to talk on. */
  | { readonly type: 'here' }
  /** The conversation with the person has ended with this decision, or has failed. */
  | { readonly type: 'decided'; readonly how: 'join' | 'decline' | 'failed' }
  /** Somebody has joined a conference with the name of this transfer. */
  | { readonly type: 'joined'; readonly who: Party; readonly conference: string }
  /** A call that was to join the conference has not, as far as is known. */
  | {
      readonly type: 'moved'
      readonly who: Party
      readonly outcome: TransferOutcome
      readonly why?: string | undefined
    }
  /** A call has ended, or its session has. */
  | { readonly type: 'gone'; readonly who: Party }
  /** What the carrier says about both calls. */
  | { readonly type: 'looked'; readonly caller: Found; readonly person: Found }
  /** The caller is back with the agent, or has hung up. */
  | { readonly type: 'returned'; readonly outcome: TransferOutcome }
  /** The caller, whose session has closed meanwhile, has got another one. */
  | { readonly type: 'back' }
  /** Nobody waits for the outcome any more: the server closes. */
  | { readonly type: 'cancel' }
  | TimerEvent<WarmTimer>
)

export type WarmCommand =
  | TimerCommand<WarmTimer>
  /** Call the person. */
  | { readonly type: 'dial' }
  /** Have the agent talk to the person. Answer with `decided`. */
  | { readonly type: 'consult' }
  /** Give the call to the conference. Answer with `moved`, unless the call joins. */
  | { readonly type: 'move'; readonly who: Party }
  /** The call is where it should be, and no longer ours. */
  | { readonly type: 'confirm'; readonly who: Party }
  /** Ask the carrier about both calls. Answer with `looked`. */
  | { readonly type: 'look' }
  /** The caller has hung up, and the carrier has not said so by itself. */
  | { readonly type: 'hung-up' }
  /** The caller is in the conference alone: connect the caller to the agent again. Answer with `returned`. */
  | { readonly type: 'bring-back' }
  /** End the call to the person, or the attempt. */
  | { readonly type: 'end-person' }
  | ({ readonly type: 'settle' } & TransferResult)
  /** Nothing more can come of this transfer. */
  | { readonly type: 'forget' }

export type WarmPhase =
  | 'new'
  | 'dialling'
  | 'consulting'
  /** The person was asked to the conference. */
  | 'moving-person'
  /** The person is in the conference, and the caller was asked to it. */
  | 'moving-caller'
  /** Nobody knows where the caller is. */
  | 'checking'
  /** The caller was alone in the conference. */
  | 'returning'
  | 'settled'
  | 'forgotten'

interface State extends TimedState<WarmTimer> {
  phase: WarmPhase
  dueAt: number | undefined
  /** Whether somebody has answered. */
  answered: boolean
  /** Whether the person's call is known to have ended. */
  personGone: boolean
  /** The conference that the person is in. Another one of the same name has begun after the end of this one. */
  conference: string | undefined
  outcome: TransferOutcome | undefined
}

/**
 * A warm transfer, in an order that leaves nobody alone (TR5). A pure machine: an event goes in, commands come out.
 *
 *   dialling ── here ──▶ consulting ── join ──▶ moving-person ── joined ──▶ moving-caller ── joined ──▶ settled: answered
 *      │ busy, …             │ decline              │ refused, …               │ │ alone ──▶ returning ──▶ settled
 *      ▼                     ▼                      ▼                          ▼ └ nothing known ──▶ checking ──▶ settled
 *   settled                settled                settled                    settled
 *
 * The caller stays with the agent until the person is in the conference. A caller who joins another conference than the person
 * has come too late: the person has hung up, the conference has ended, and the carrier has made a new one.
 *
 * An outcome other than `answered` and `unknown` ends the person's call, and leaves the caller with the agent. What comes late is
 * noticed for a while: a caller who joins after all is brought back, and a person who joins is hung up.
 */
export class WarmTransferMachine {
  readonly #ringTimeout: number
  readonly #state: State = {
    now: 0,
    timers: {},
    phase: 'new',
    dueAt: undefined,
    answered: false,
    personGone: false,
    conference: undefined,
    outcome: undefined,
  }

  constructor({ ringTimeout }: { readonly ringTimeout: number }) {
    this.#ringTimeout = ringTimeout
  }

  get phase(): WarmPhase {
    return this.#state.phase
  }

  handle(event: WarmEvent): WarmCommand[] {
    const state = this.#state
    if (!advance(state, event)) return []
    const commands = state.phase === 'forgotten' ? [] : this.#take(event)
    return [...changeTimer(state, 'limit', state.dueAt), ...commands]
  }

  #take(event: WarmEvent): WarmCommand[] {
    const { phase } = this.#state
    switch (event.type) {
      case 'go':
        if (phase !== 'new') return []
        return this.#enter('dialling', this.#ringTimeout + limits.dialSlack + limits.longestHangUp, ['dial'])
      case 'dialled':
        return phase === 'dialling' ? this.#dialled(event.outcome, event.why) : []
      case 'here':
        return phase === 'dialling' ? this.#enter('consulting', limits.consultation, ['consult']) : []
      case 'decided':
        return phase === 'consulting' ? this.#decided(event.how) : []
      case 'joined':
        return event.who === 'person'
          ? this.#personJoined(event.conference)
          : this.#callerJoined(event.conference)
      case 'moved':
        return this.#moved(event.who, event.outcome, event.why)
      case 'gone':
        return event.who === 'person' ? this.#personGone() : this.#callerGone()
      case 'looked':
        return phase === 'checking' ? this.#looked(event.caller, event.person) : []
      case 'returned':
        if (phase !== 'returning') return []
        return this.#settle(event.outcome === 'caller-gone' ? 'caller-gone' : 'declined')
      case 'back':
        return this.#callerIsBack()
      case 'cancel':
        return this.#cancel()
      case 'timer':
        break
    }
    return this.#late()
  }

  // ── before the person is moved ──

  #dialled(outcome: DialOutcome, why: string | undefined): WarmCommand[] {
    const state = this.#state
    if (outcome === 'answered') {
      state.answered = true
      return state.personGone ? this.#settle('declined') : this.#enter('dialling', limits.connect)
    }
    return this.#settle(outcome === 'cancelled' || outcome === 'unknown' ? 'failed' : outcome, why)
  }

  #decided(how: 'join' | 'decline' | 'failed'): WarmCommand[] {
    if (how === 'failed') return this.#settle('failed', 'the conversation with the person failed')
    if (how === 'decline') return this.#settle('declined')
    return this.#enter('moving-person', limits.move, [{ type: 'move', who: 'person' }])
  }

  // ── the conference ──

  #personJoined(conference: string): WarmCommand[] {
    const state = this.#state
    if (state.phase === 'settled') return this.#isConnected ? [] : [{ type: 'end-person' }]
    if (state.phase !== 'moving-person') return []
    state.conference = conference
    return this.#enter('moving-caller', limits.move, [
      { type: 'confirm', who: 'person' },
      { type: 'move', who: 'caller' },
    ])
  }

  #callerJoined(conference: string): WarmCommand[] {
    const { phase, conference: wanted } = this.#state
    const alone = conference !== wanted
    if (phase === 'settled') return alone && !this.#isConnected ? [{ type: 'bring-back' }] : []
    if (phase !== 'moving-caller' && phase !== 'checking') return []
    if (alone) return this.#bringBack()
    return [{ type: 'confirm', who: 'caller' }, ...this.#settle('answered')]
  }

  #moved(who: Party, outcome: TransferOutcome, why = 'it did not join the conference'): WarmCommand[] {
    const { phase } = this.#state
    const reason = `the ${who}'s call was not connected: ${why}`
    if (who === 'person') return phase === 'moving-person' ? this.#settle('failed', reason) : []
    if (phase !== 'moving-caller') return []
    if (outcome === 'answered' || outcome === 'unknown') return this.#check()
    return outcome === 'caller-gone' ? this.#settle('caller-gone') : this.#settle('failed', reason)
  }

  #personGone(): WarmCommand[] {
    const state = this.#state
    state.personGone = true
    // A call that ends before somebody has answered has another outcome than this, which follows.
    const isTalking =
      (state.phase === 'dialling' && state.answered) ||
      state.phase === 'consulting' ||
      state.phase === 'moving-person'
    // Later, the caller is on the way to the conference. Whether the caller is alone there is known after that.
    return isTalking ? this.#settle('declined') : []
  }

  /** Once the caller is on the way to the conference, the session may close, and the call lives on. */
  #callerGone(): WarmCommand[] {
    return this.#isBeforeTheMove ? this.#settle('caller-gone') : []
  }

  #callerIsBack(): WarmCommand[] {
    const { phase, personGone } = this.#state
    if (phase === 'settled') return personGone ? [] : [{ type: 'end-person' }]
    if (this.#isBeforeTheMove) return []
    return phase === 'returning'
      ? this.#settle('declined')
      : this.#settle('failed', 'the caller came back to us')
  }

  #check(): WarmCommand[] {
    return this.#enter('checking', limits.check, [{ type: 'look' }])
  }

  #looked(caller: Found, person: Found): WarmCommand[] {
    if (caller === 'ended') return [{ type: 'hung-up' }, ...this.#settle('caller-gone')]
    return person === 'ended' || this.#state.personGone ? this.#bringBack() : this.#settle('unknown')
  }

  #bringBack(): WarmCommand[] {
    return this.#enter('returning', limits.recall, [{ type: 'bring-back' }])
  }

  // ── the end ──

  #cancel(): WarmCommand[] {
    const state = this.#state
    if (this.#isBeforeTheMove) return this.#settle('failed', 'the server closed')
    // Bounded, since the server waits for it.
    if (state.phase !== 'settled') state.dueAt = Math.min(state.dueAt ?? Infinity, state.now + limits.check)
    return []
  }

  #late(): WarmCommand[] {
    const state = this.#state
    state.dueAt = undefined
    switch (state.phase) {
      case 'consulting':
        return this.#settle('declined')
      case 'moving-caller':
        return this.#check()
      case 'checking':
        return state.personGone ? this.#bringBack() : this.#settle('unknown')
      case 'settled':
        return this.#enter('forgotten', undefined, ['forget'])
      case 'new':
      case 'dialling':
      case 'moving-person':
      case 'returning':
      case 'forgotten':
        break
    }
    return this.#settle('failed', 'the carrier has not said what became of it')
  }

  get #isBeforeTheMove(): boolean {
    const { phase } = this.#state
    return phase === 'new' || phase === 'dialling' || phase === 'consulting' || phase === 'moving-person'
  }

  /** Whether the two talk, as far as is known. */
  get #isConnected(): boolean {
    const { outcome } = this.#state
    return outcome === 'answered' || outcome === 'unknown'
  }

  #settle(outcome: TransferOutcome, why?: string): WarmCommand[] {
    const state = this.#state
    state.outcome = outcome
    const endsPerson = !this.#isConnected && !state.personGone
    return this.#enter('settled', limits.strays, [
      ...(endsPerson ? (['end-person'] as const) : []),
      { type: 'settle', outcome, why },
    ])
  }

  /** Every phase has a time limit. */
  #enter(
    phase: WarmPhase,
    within: number | undefined,
    commands: readonly (
      | WarmCommand
      | (WarmCommand & { type: 'dial' | 'consult' | 'end-person' | 'forget' })['type']
    )[] = [],
  ): WarmCommand[] {
    const state = this.#state
    state.phase = phase
    state.dueAt = within === undefined ? undefined : state.now + within
    return commands.map((each) => (typeof each === 'string' ? { type: each } : each))
  }
}
