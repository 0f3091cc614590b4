import { advance, changeTimers } from '../scope/index.ts'
import { beginClosing, handleClosing } from './handle-closing.ts'
import { handleLive } from './handle-live.ts'
import type { LinkCommand, LinkEvent, LinkTimer } from './link-events.ts'
import type { LinkSettings } from './link-settings.ts'
import {
  newState,
  phaseOf,
  rolloverDue,
  type LinkPhase,
  type LinkState,
  type LinkStep,
} from './link-state.ts'

export type { LinkCommand, LinkEvent, LinkTimer } from './link-events.ts'

/** When each timer is due. Timers are derived from the state, so none can be forgotten. */
const due: Record<LinkTimer, (state: LinkState, settings: LinkSettings) => number | undefined> = {
  open: ({ closing, wasReady, startedAt }, { open }) => (closing || wasReady ? undefined : startedAt + open),
  handshake: ({ closing, next }, { handshake }) => (closing || !next ? undefined : next.since + handshake),
  retry: ({ closing, retryAt }) => (closing ? undefined : retryAt),
  'roll-over': (state) =>
    state.closing || state.next || state.retryAt !== undefined ? undefined : rolloverDue(state),
  retire: ({ closing, retiring }) => (closing ? undefined : retiring?.cutAt),
  acknowledgement: ({ closing }) => closing?.acknowledgeBy,
  'close-frame': ({ closing }) => closing?.cutAt,
}
const dues = Object.entries(due) as [LinkTimer, (typeof due)[LinkTimer]][]

/**
 * The life of a link. A pure machine: an event goes in, commands come out; no socket, no clock, no promise.
 *
 *            dial             socket open            setup accepted
 *   start ─────────▶ connecting ─────────▶ open ─────────────────▶ ready ──── goAway, maxAge ───▶ rolling over
 *                        ▲   │ refused,      │ ended                │  │  ▲                          │
 *                        │   │ silent        │                      │  │  └── new connection ready ──┘
 *                        │   ▼               ▼       dropped        │  │ idle
 *                        └── backing off ◀──────────────────────────┘  ▼
 *                        │      │ budget spent                       idle: sleeps until speech or text
 *                        └──────┼──────────────────────────────────────┘
 *                               ▼
 *   from any state: fatal ──▶ closed, with an error
 *   from any state: intent ─▶ closing ─▶ closed; a link never leaves `closing` for another state
 *
 *   closing: ending frames ─▶ acknowledged, or timed out ─▶ close frame ─▶ ended, or timed out: cut
 */
export class LinkMachine {
  readonly #settings: LinkSettings
  readonly #state: LinkState

  constructor(settings: LinkSettings, state = newState()) {
    this.#settings = settings
    this.#state = state
  }

  get state(): Readonly<LinkState> {
    return this.#state
  }

  get phase(): LinkPhase {
    return phaseOf(this.#state)
  }

  /**
   * Returns what is to be done now. Timers come first: carrying out another command may cause the next event, and the
   * timers of this event must not undo the timers of that one.
   */
  handle(event: LinkEvent): LinkCommand[] {
    const state = this.#state
    const commands: LinkCommand[] = []
    if (state.closed || !advance(state, event)) return commands
    const step: LinkStep = { state, settings: this.#settings, emit: (command) => commands.push(command) }
    if (state.closing) handleClosing(step, state.closing, event)
    else if (event.type === 'intent' || event.type === 'close' || event.type === 'abort') {
      beginClosing(step)
      if (state.closing && !state.closed) handleClosing(step, state.closing, event)
    } else handleLive(step, event)
    const timers = new Map<LinkTimer, number>()
    for (const [timer, dueAt] of dues) {
      const at = state.closed ? undefined : dueAt(state, this.#settings)
      if (at !== undefined) timers.set(timer, at)
    }
    return [...changeTimers(state, timers), ...commands]
  }
}
