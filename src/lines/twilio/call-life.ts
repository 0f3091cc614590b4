import {
  advance,
  changeTimer,
  type TimedState,
  type TimerCommand,
  type TimerEvent,
} from '../../scope/index.ts'
import type { TransferOutcome } from '../../parts/index.ts'
import { limits } from './limits.ts'

/** Where a call is, as far as this process knows. */
export type CallPlace =
  /** The caller is connected to us, or is about to be. */
  | 'here'
  /** The stream has stopped. Either the call has ended, or somebody gave the carrier another document. */
  | 'stopped'
  /** The carrier was asked to ring somebody else. */
  | 'asking'
  /** The carrier rings somebody else. */
  | 'ringing'
  /** Nobody answered: the carrier will connect the caller to us again. */
  | 'returning'
  /** The call goes on without us. */
  | 'elsewhere'
  | 'ended'

type LifeTimer = 'place'

export type LifeEvent = { readonly at: number } &
  /** The session wants the caller to talk to somebody else, who may ring for this long. */
  (
    | { readonly type: 'transfer'; readonly ringFor: number }
    /** How the carrier answered that request: `gone` if the call has ended, `silent` if nobody knows whether it was carried out. */
    | { readonly type: 'asked'; readonly how: 'accepted' | 'refused' | 'gone' | 'silent' }
    /** The stream sent `stop`. */
    | { readonly type: 'stop' }
    /** A stream of the call has started. */
    | { readonly type: 'started' }
    /** The carrier asks for another document, because the stream ended and nobody gave it one. */
    | { readonly type: 'again' }
    /** The person who was rung has answered. */
    | { readonly type: 'answered' }
    /** The conversation with the person has ended, or never began. */
    | { readonly type: 'dialled'; readonly outcome: TransferOutcome }
    /** The caller is with nobody: whoever was to be there has left. */
    | { readonly type: 'alone' }
    /** The carrier says that the call has ended. */
    | { readonly type: 'ended' }
    /** What the carrier says when it is asked about the call. */
    | { readonly type: 'looked'; readonly found: 'live' | 'ended' | 'unknown' }
    | TimerEvent<LifeTimer>
  )

export type LifeCommand =
  | TimerCommand<LifeTimer>
  /** Ask the carrier to ring somebody else. */
  | { readonly type: 'redirect' }
  /** Ask the carrier to connect the caller to us again. */
  | { readonly type: 'recall' }
  /** Ask the carrier whether the call is live. Answer with `looked`. */
  | { readonly type: 'look' }
  /** Nothing can be sent to the caller, who may come back. */
  | { readonly type: 'wait' }
  /** Wait for the stream, for as long as after a cut. */
  | { readonly type: 'expect' }
  /** The transfer has this outcome. */
  | { readonly type: 'settle'; readonly outcome: TransferOutcome }
  /** The caller hung up. */
  | { readonly type: 'hung-up' }
  /** Somebody else has given the carrier another document: the call is not ours any more. */
  | { readonly type: 'taken' }

interface State extends TimedState<LifeTimer> {
  place: CallPlace
  /** When the call has been in this place for too long. */
  dueAt: number | undefined
  /** How long the person may ring. */
  ringFor: number
  /** Whether the stream stopped while the carrier was asked. */
  stopped: boolean
  /** How often the carrier has said that a call whose stream has stopped is live. */
  seenLive: number
  /** The outcome of a transfer that failed, until the caller is back. */
  outcome: TransferOutcome | undefined
}

/**
 * The life of one call at its carrier. A pure machine: an event goes in, commands come out.
 *
 *               transfer               accepted                answered, nothing known
 *      ┌─▶ here ──────────▶ asking ───────────────▶ ringing ──────────────────────────▶ elsewhere
 *      │    │ ▲    refused,   │                        │ busy, no answer, …               ▲
 *      │    │ └───────────────┘                        ▼                                  │
 *      │    │ stop                                 returning ── started ──▶ here          │
 *      │    ▼                                                                             │
 *      └─ stopped ── the carrier says that the call is live, twice ───────────────────────┘
 *   again
 *
 *      ended ◀── from anywhere: the carrier says so
 *      returning ◀── from anywhere: the caller is alone
 *
 * `stop` alone does not say that the call has ended: a redirect stops the stream too, and the call lives on (LN14).
 */
export class CallLife {
  readonly #state: State = {
    now: 0,
    timers: {},
    place: 'here',
    dueAt: undefined,
    ringFor: 0,
    stopped: false,
    seenLive: 0,
    outcome: undefined,
  }
  /** Whether the carrier can be asked about the call. If not, `stop` counts as its end. */
  readonly #canLook: boolean

  constructor({ canLook }: { readonly canLook: boolean }) {
    this.#canLook = canLook
  }

  get place(): CallPlace {
    return this.#state.place
  }

  handle(event: LifeEvent): LifeCommand[] {
    const state = this.#state
    if (!advance(state, event)) return []
    const commands = this.#take(event)
    return [...changeTimer(state, 'place', state.dueAt), ...commands]
  }

  #take(event: LifeEvent): LifeCommand[] {
    const state = this.#state
    if (state.place === 'ended') return []
    switch (event.type) {
      case 'transfer':
        return this.#transfer(event.ringFor)
      case 'asked':
        return state.place === 'asking' ? this.#asked(event.how) : []
      case 'stop':
        return this.#stop()
      case 'again':
        return this.#again()
      case 'started':
        return this.#started()
      case 'answered':
        return this.#isTransferring ? this.#settle('elsewhere', 'answered') : []
      case 'dialled':
        return this.#isTransferring ? this.#dialled(event.outcome) : []
      case 'alone':
        return this.#recall()
      case 'looked':
        return state.place === 'stopped' ? this.#looked(event.found) : []
      case 'ended':
        return this.#end()
      case 'timer':
        break
    }
    return this.#late()
  }

  get #isTransferring(): boolean {
    return this.#state.place === 'asking' || this.#state.place === 'ringing'
  }

  // ── the stream ──

  #stop(): LifeCommand[] {
    const state = this.#state
    state.stopped = true
    if (state.place === 'asking' || state.place === 'ringing') return [{ type: 'wait' }]
    if (state.place !== 'here') return []
    if (!this.#canLook) return this.#end()
    state.seenLive = 0
    return this.#enter('stopped', [{ type: 'wait' }, { type: 'look' }])
  }

  #started(): LifeCommand[] {
    const state = this.#state
    const { place, outcome } = state
    state.stopped = false
    if (place === 'returning' || place === 'ringing') return this.#settle('here', outcome ?? 'failed')
    return place === 'stopped' ? this.#enter('here') : []
  }

  #again(): LifeCommand[] {
    const { place } = this.#state
    if (place === 'stopped') return this.#enter('here', [{ type: 'expect' }])
    // The stream ended before the carrier was given another document.
    return place === 'asking' ? this.#dialled('failed') : []
  }

  /** The carrier may not know yet that the caller has hung up, so it is asked twice. */
  #looked(found: 'live' | 'ended' | 'unknown'): LifeCommand[] {
    const state = this.#state
    // The stream has stopped, which nearly always means that the call has ended.
    if (found !== 'live') return this.#end()
    state.seenLive++
    if (state.seenLive > 1) return this.#enter('elsewhere', [{ type: 'taken' }])
    return this.#enter('stopped', [], limits.lookAgain)
  }

  // ── a transfer ──

  #transfer(ringFor: number): LifeCommand[] {
    const state = this.#state
    if (state.place !== 'here') return [{ type: 'settle', outcome: 'failed' }]
    state.ringFor = ringFor
    state.stopped = false
    state.outcome = undefined
    return this.#enter('asking', [{ type: 'redirect' }])
  }

  #asked(how: 'accepted' | 'refused' | 'gone' | 'silent'): LifeCommand[] {
    const { stopped } = this.#state
    if (how === 'gone') return this.#end()
    if (how === 'refused') return this.#refused()
    if (how === 'accepted' || stopped) return this.#ring()
    // Only the stream can tell whether the request was carried out.
    return this.#enter('asking', [], limits.redirect)
  }

  /** A stream that has stopped all the same shows that the caller has hung up, or that somebody else has the call. */
  #refused(): LifeCommand[] {
    const state = this.#state
    if (!state.stopped) return this.#settle('here', 'failed')
    state.seenLive = 0
    return this.#enter('stopped', [{ type: 'settle', outcome: 'failed' }, { type: 'look' }])
  }

  #ring(): LifeCommand[] {
    return this.#enter('ringing', [{ type: 'wait' }], this.#state.ringFor + limits.ringSlack)
  }

  #dialled(outcome: TransferOutcome): LifeCommand[] {
    if (outcome === 'answered') return this.#settle('elsewhere', 'answered')
    this.#state.outcome = outcome
    return this.#enter('returning', [{ type: 'expect' }])
  }

  #recall(): LifeCommand[] {
    if (this.#state.place === 'returning') return []
    this.#state.outcome = 'failed'
    return this.#enter('returning', [{ type: 'recall' }, { type: 'expect' }])
  }

  /** The call has been in one place for too long. */
  #late(): LifeCommand[] {
    const state = this.#state
    state.dueAt = undefined
    if (state.place === 'stopped') return [{ type: 'look' }]
    if (state.place === 'ringing') return this.#settle('elsewhere', 'unknown')
    if (state.place !== 'asking') return []
    return state.stopped ? this.#ring() : this.#settle('here', 'failed')
  }

  // ── places ──

  #settle(place: CallPlace, outcome: TransferOutcome): LifeCommand[] {
    return this.#enter(place, [{ type: 'settle', outcome }])
  }

  #end(): LifeCommand[] {
    const { place } = this.#state
    const transferring = this.#isTransferring || place === 'returning'
    return this.#enter('ended', [
      ...(transferring ? [{ type: 'settle', outcome: 'caller-gone' } as const] : []),
      // A call that was handed over may end whenever its people like.
      ...(place === 'elsewhere' ? [] : [{ type: 'hung-up' } as const]),
    ])
  }

  /** Every place has at most one timer, which the next place replaces. */
  #enter(place: CallPlace, commands: readonly LifeCommand[] = [], within?: number): LifeCommand[] {
    const state = this.#state
    state.place = place
    state.dueAt = within === undefined ? undefined : state.now + within
    return [...commands]
  }
}
