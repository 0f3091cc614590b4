import { advance, changeTimer, type TimedState } from '../../scope/index.ts'
import type { TransferOutcome, TransferResult } from '../../parts/index.ts'
import type { CallPlace, LifeCommand, LifeEvent, LifeTimer, RedirectAnswer } from './call-life-events.ts'
import { limits } from './limits.ts'

/** Keys that the carrier was asked to press, until it is known whether it has. */
interface Keys {
  readonly lasts: number
  /** Whether the carrier has taken the request. */
  accepted: boolean
  pressed: boolean
  why: string | undefined
}

interface State extends TimedState<LifeTimer> {
  place: CallPlace
  /** When the call has been in this place for too long. */
  dueAt: number | undefined
  /** How long the person may ring. */
  ringFor: number
  /** Whether the carrier has not answered yet to the request to ring somebody else. */
  isAsked: boolean
  /** Whether the stream stopped while the carrier was asked. */
  stopped: boolean
  /** How often the carrier has said that a call whose stream has stopped is live. */
  seenLive: number
  /** What became of a transfer that failed, until the caller is back. */
  result: (TransferResult & { readonly leg?: string | undefined }) | undefined
  /** The leg on which a person has rejected the call. The carrier says so before or after the outcome. */
  rejectedLeg: string | undefined
  keys: Keys | undefined
  /** Keys that were given up, and that the carrier may press after all: how long they take, and until when a stop means them. */
  late: { readonly lasts: number; readonly until: number } | undefined
}

/**
 * The life of one call at its carrier. A pure machine: an event goes in, commands come out.
 *
 *               transfer               accepted                answered, nothing known
 *      ┌─▶ here ──────────▶ asking ───────────────▶ ringing ──────────────────────────▶ elsewhere
 *      │   │ │ ▲    refused,  │                        │ busy, no answer, …               ▲
 *      │   │ │ └──────────────┘                        ▼                                  │
 *      │   │ └─ press ─▶ pressing ── pressed ──▶ returning ── started ──▶ here            │
 *      │   │ stop                                                                         │
 *      │   ▼                                                                              │
 *      └─ stopped ── the carrier says that the call is live, twice ───────────────────────┘
 *   again
 *
 *      ended ◀── from anywhere: the carrier says so
 *      returning ◀── from anywhere: the caller is alone, or does not come back after keys
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
    isAsked: false,
    stopped: false,
    seenLive: 0,
    result: undefined,
    rejectedLeg: undefined,
    keys: undefined,
    late: undefined,
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
      case 'press':
        return this.#press(event.lasts)
      case 'asked':
        return state.isAsked ? this.#asked(event) : this.#askedForKeys(event)
      case 'stop':
        return this.#stop()
      case 'again':
        return this.#again()
      case 'started':
        return this.#started()
      case 'answered':
        return this.#isTransferring ? this.#settle('elsewhere', 'answered') : []
      case 'rejected':
        state.rejectedLeg = event.leg
        return []
      case 'dialled':
        return this.#isTransferring ? this.#dialled(event) : []
      case 'pressed':
        return this.#pressed()
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
    const { place, late } = state
    state.stopped = true
    if (this.#isTransferring || place === 'pressing') return [{ type: 'wait' }]
    if (place !== 'here') return []
    if (late && state.now < late.until) {
      state.late = undefined
      return this.#presses(late.lasts)
    }
    if (!this.#canLook) return this.#end()
    state.seenLive = 0
    return this.#enter('stopped', [{ type: 'wait' }, { type: 'look' }])
  }

  #started(): LifeCommand[] {
    const state = this.#state
    const { place, keys } = state
    const hadStopped = state.stopped
    state.stopped = false
    switch (place) {
      case 'ringing':
        return this.#settle('here', 'failed', 'the carrier has not said what became of it')
      case 'returning':
        return this.#enter('here', [...this.#keysDone(), ...this.#transferFailed()])
      case 'pressing':
        // Only the document that presses keys leads back after it was taken: its own report may have reached another process.
        if (keys?.accepted && hadStopped) keys.pressed = true
        return this.#enter('here', this.#keysDone())
      case 'stopped':
        return this.#enter('here')
      case 'here':
      case 'asking':
      case 'elsewhere':
      case 'ended':
        break
    }
    return []
  }

  #again(): LifeCommand[] {
    const { place, keys } = this.#state
    if (place === 'stopped') return this.#enter('here', [{ type: 'expect' }])
    // The stream ended before the carrier was given another document.
    if (place === 'asking') return this.#dialled({ outcome: 'failed', why: 'the stream broke' })
    if (place !== 'pressing' || keys?.accepted !== false) return []
    keys.why = 'the stream broke'
    return this.#enter('returning', [{ type: 'expect' }])
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
    if (state.place !== 'here')
      return [{ type: 'settle', outcome: 'failed', why: 'the caller is not connected to us' }]
    state.ringFor = ringFor
    state.isAsked = true
    state.stopped = false
    state.result = undefined
    return this.#enter('asking', [{ type: 'redirect' }])
  }

  #asked({ how, why }: RedirectAnswer): LifeCommand[] {
    const state = this.#state
    const { place } = state
    state.isAsked = false
    if (place !== 'asking' && place !== 'returning') return []
    if (how === 'gone') return this.#end()
    // The stream broke, and the carrier asked how to go on, before it took the request.
    if (place === 'returning') return how === 'accepted' ? this.#ring() : []
    if (how === 'refused') return this.#refused([{ type: 'settle', outcome: 'failed', why }])
    if (how === 'accepted' || state.stopped) return this.#ring()
    // Only the stream can tell whether the request was carried out.
    state.result = { outcome: 'failed', why }
    return this.#enter('asking', [], limits.redirect)
  }

  /** A stream that has stopped all the same shows that the caller has hung up, or that somebody else has the call. */
  #refused(settled: readonly LifeCommand[]): LifeCommand[] {
    const state = this.#state
    if (!state.stopped) return this.#enter('here', settled)
    state.seenLive = 0
    return this.#enter('stopped', [...settled, { type: 'look' }])
  }

  #ring(): LifeCommand[] {
    return this.#enter('ringing', [{ type: 'wait' }], this.#state.ringFor + limits.ringSlack)
  }

  #dialled({ outcome, why, leg }: NonNullable<State['result']>): LifeCommand[] {
    if (outcome === 'answered') return this.#settle('elsewhere', 'answered')
    this.#state.result = { outcome, why, leg }
    return this.#enter('returning', [{ type: 'expect' }])
  }

  /** The caller is back. Carriers call a person busy who has rejected the call. */
  #transferFailed(): LifeCommand[] {
    const state = this.#state
    const { result, rejectedLeg } = state
    state.result = undefined
    if (!result) return []
    const { outcome, why, leg } = result
    const isRejected = leg !== undefined && leg === rejectedLeg
    return [{ type: 'settle', outcome: isRejected ? 'rejected' : outcome, why }]
  }

  #recall(): LifeCommand[] {
    if (this.#state.place === 'returning') return []
    this.#state.result = { outcome: 'failed' }
    return this.#enter('returning', [{ type: 'recall' }, { type: 'expect' }])
  }

  // ── keys ──

  #press(lasts: number): LifeCommand[] {
    const state = this.#state
    if (state.place !== 'here')
      return [{ type: 'keys', pressed: false, why: 'the caller is not connected to us' }]
    state.isAsked = false
    state.stopped = false
    state.late = undefined
    state.result = undefined
    state.keys = { lasts, accepted: false, pressed: false, why: undefined }
    return this.#enter('pressing', [{ type: 'redirect' }])
  }

  #askedForKeys({ how, why }: RedirectAnswer): LifeCommand[] {
    const { place, keys, stopped } = this.#state
    if (!keys || (place !== 'pressing' && place !== 'returning')) return []
    if (how === 'gone') return this.#end()
    if (how === 'accepted' && !keys.pressed) return this.#presses(keys.lasts)
    // Otherwise the call is on its way back to us, and the stream shows when it is here.
    if (place === 'returning') return []
    keys.why = why
    if (how === 'refused') return this.#refused(this.#keysDone(false))
    return stopped ? this.#presses(keys.lasts) : this.#enter('pressing', [], limits.redirect)
  }

  /** The carrier presses the keys, and connects the call to us again after that. */
  #presses(lasts: number): LifeCommand[] {
    const { keys } = this.#state
    if (keys) keys.accepted = true
    return this.#enter('pressing', [{ type: 'wait' }], lasts + limits.keys)
  }

  #pressed(): LifeCommand[] {
    const state = this.#state
    const { place, keys, late } = state
    const isLate = late !== undefined && (place === 'here' || place === 'stopped')
    if (place !== 'pressing' && !isLate) return []
    state.late = undefined
    state.result = undefined
    if (keys) keys.pressed = true
    return this.#enter('returning', [{ type: 'expect' }])
  }

  /** The keys have their outcome. Unless the carrier has refused them, it may press them later all the same. */
  #keysDone(mayBeLate = true): LifeCommand[] {
    const state = this.#state
    const { keys } = state
    state.keys = undefined
    if (!keys) return []
    const { pressed, why, lasts } = keys
    if (!pressed && mayBeLate) state.late = { lasts, until: state.now + limits.lateKeys }
    return [{ type: 'keys', pressed, why: pressed ? undefined : why }]
  }

  /** The call did not come back after the keys: has the carrier connect it again. */
  #neverCameBack(): LifeCommand[] {
    const { keys } = this.#state
    if (keys) keys.why = 'the call did not come back in time'
    return this.#enter('returning', [...this.#keysDone(), { type: 'recall' }, { type: 'expect' }])
  }

  /** The call has been in one place for too long. */
  #late(): LifeCommand[] {
    const state = this.#state
    const { place, stopped, keys, result } = state
    state.dueAt = undefined
    switch (place) {
      case 'stopped':
        return [{ type: 'look' }]
      case 'ringing':
        return this.#settle('elsewhere', 'unknown')
      case 'asking':
        return stopped ? this.#ring() : this.#settle('here', 'failed', result?.why)
      case 'pressing':
        if (keys?.accepted !== false) return this.#neverCameBack()
        return stopped ? this.#presses(keys.lasts) : this.#enter('here', this.#keysDone())
      case 'here':
      case 'returning':
      case 'elsewhere':
      case 'ended':
        break
    }
    return []
  }

  // ── places ──

  #settle(place: CallPlace, outcome: TransferOutcome, why?: string): LifeCommand[] {
    this.#state.result = undefined
    return this.#enter(place, [{ type: 'settle', outcome, why }])
  }

  #end(): LifeCommand[] {
    const { place, result } = this.#state
    const transferring = this.#isTransferring || (place === 'returning' && result !== undefined)
    return this.#enter('ended', [
      ...(transferring ? [{ type: 'settle', outcome: 'caller-gone' } as const] : []),
      ...this.#keysDone(),
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
