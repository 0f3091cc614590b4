import {
  advance,
  changeTimer,
  type TimedState,
  type TimerCommand,
  type TimerEvent,
} from '../../scope/index.ts'
import type { MessageOutcome, MessageStart } from './answered.ts'

type MessageTimer = 'next'

export type MessageEvent = { readonly at: number } & (
  | {
      readonly type: 'begin'
      /** Whether the machine records already, and how that is known. */
      readonly ready: 'beep' | 'carrier' | undefined
      readonly speaking: boolean
      /** When the machine was last heard to stop. */
      readonly quietSince: number
    }
  /** The machine has begun or ceased to speak. */
  | { readonly type: 'speech'; readonly speaks: boolean; readonly since: number }
  | { readonly type: 'beep' }
  /** The carrier says that the greeting has ended; `beep` if it heard one. */
  | { readonly type: 'ready'; readonly beep: boolean }
  /** What was said has ended. */
  | { readonly type: 'said'; readonly how: MessageOutcome['how']; readonly confirmed: boolean }
  | TimerEvent<MessageTimer>
)

export type MessageCommand =
  | TimerCommand<MessageTimer>
  /** Say the message, and answer with `said`. */
  | { readonly type: 'say' }
  /** Stop saying it. Answered with `said` like every end. */
  | { readonly type: 'stop' }
  | { readonly type: 'done'; readonly outcome: Omit<MessageOutcome, 'error'> }

export interface MessageSettings {
  readonly silence: number
  readonly timeout: number
}

/** How often a message is begun at most. */
const ATTEMPTS = 2

/** Milliseconds for which a machine must talk at the same time to count as talking: an echo or a click is shorter. */
const TALKING = 1_000

/** Milliseconds within which a beep is the one that the message began after. */
const SAME_BEEP = 1_500

interface State extends TimedState<MessageTimer> {
  phase: 'new' | 'waiting' | 'saying' | 'stopping' | 'done'
  /** When the phase began. */
  since: number
  speaks: boolean
  quietSince: number
  attempts: number
  after: MessageStart
  /** Since when the machine talks at the same time. */
  talksSince: number | undefined
  /** Whether the machine talked, or beeped, during the last attempt. */
  spoilt: boolean
  /** Whether a beep has stopped the first attempt: the second begins at once. */
  beeped: boolean
}

/**
 * Leaves a message with an answering machine. A pure machine: an event goes in, commands come out.
 *
 *   waiting ── beep, carrier, silence, timeout ──▶ saying ── said ──▶ done
 *      ▲                                             │ the machine talks or beeps, for the first time
 *      └──────────────── said ◀──── stopping ◀───────┘
 *
 * Every wait has a bound (MD6); what is said ends in bounded time anyway (SP3).
 */
export class MessageMachine {
  readonly #settings: MessageSettings
  readonly #state: State = {
    now: 0,
    timers: {},
    phase: 'new',
    since: 0,
    speaks: false,
    quietSince: 0,
    attempts: 0,
    after: 'timeout',
    talksSince: undefined,
    spoilt: false,
    beeped: false,
  }

  constructor(settings: MessageSettings) {
    this.#settings = settings
  }

  get attempts(): number {
    return this.#state.attempts
  }

  get after(): MessageStart {
    return this.#state.after
  }

  handle(event: MessageEvent): MessageCommand[] {
    const state = this.#state
    if (!advance(state, event)) return []
    const commands = [...this.#take(event), ...this.#act()]
    return [...changeTimer(state, 'next', this.#dueAt), ...commands]
  }

  #take(event: MessageEvent): MessageCommand[] {
    const state = this.#state
    switch (event.type) {
      case 'begin':
        if (state.phase !== 'new') return []
        state.phase = 'waiting'
        state.since = state.now
        state.speaks = event.speaking
        state.quietSince = Math.min(event.quietSince, state.now)
        return event.ready === undefined ? [] : this.#say(event.ready)
      case 'speech':
        return this.#heard(event.speaks, event.since)
      case 'beep':
        return this.#beep()
      case 'ready':
        if (event.beep) return this.#beep()
        return state.phase === 'waiting' ? this.#say('carrier') : []
      case 'said':
        return this.#said(event.how, event.confirmed)
      case 'timer':
        break
    }
    return []
  }

  #heard(speaks: boolean, since: number): MessageCommand[] {
    const state = this.#state
    state.speaks = speaks
    if (!speaks) state.quietSince = Math.min(since, state.now)
    // What began before the message, or while it waits, is the greeting.
    if (state.phase === 'saying') state.talksSince = speaks ? state.now : undefined
    return []
  }

  /** Somebody heard a beep: the machine records from here on. */
  #beep(): MessageCommand[] {
    const state = this.#state
    if (state.phase === 'waiting') return this.#say('beep')
    if (state.phase !== 'saying') return []
    // The carrier and we hear the same beep, one after the other.
    if (state.after === 'beep' && state.now < state.since + SAME_BEEP) return []
    state.beeped = true
    return this.#spoil()
  }

  #say(after: MessageStart): MessageCommand[] {
    const state = this.#state
    state.phase = 'saying'
    state.since = state.now
    state.after = after
    state.attempts++
    // A beep ends a greeting: whatever the voice detection says about it comes late.
    state.spoilt = state.speaks && after === 'timeout'
    state.talksSince = undefined
    state.beeped = false
    return [{ type: 'say' }]
  }

  /** The machine was not ready for the message. */
  #spoil(): MessageCommand[] {
    const state = this.#state
    state.talksSince = undefined
    if (state.attempts >= ATTEMPTS) {
      state.spoilt = true
      return []
    }
    state.phase = 'stopping'
    return [{ type: 'stop' }]
  }

  #said(how: MessageOutcome['how'], confirmed: boolean): MessageCommand[] {
    const state = this.#state
    if (state.phase === 'stopping') {
      if (state.beeped) return this.#say('beep')
      state.phase = 'waiting'
      state.since = state.now
      return []
    }
    if (state.phase !== 'saying') return []
    state.phase = 'done'
    const { after, attempts, spoilt } = state
    const heard = how === 'played' && confirmed && !spoilt
    return [{ type: 'done', outcome: { heard, how, after, attempts } }]
  }

  /** Acts if it is time to. */
  #act(): MessageCommand[] {
    const state = this.#state
    const due = this.#dueAt
    if (due === undefined || due > state.now) return []
    if (state.phase === 'saying') return this.#spoil()
    const timedOut = state.now >= state.since + this.#settings.timeout
    return this.#say(timedOut ? 'timeout' : 'silence')
  }

  get #dueAt(): number | undefined {
    const { phase, since, speaks, quietSince, talksSince } = this.#state
    const { silence, timeout } = this.#settings
    if (phase === 'saying') return talksSince === undefined ? undefined : talksSince + TALKING
    if (phase !== 'waiting') return undefined
    return speaks ? since + timeout : Math.min(since + timeout, quietSince + silence)
  }
}
