import { advance, changeTimers } from '../scope/index.ts'
import { close, intend } from './handle-closing.ts'
import type { LinkCommand, LinkEvent, LinkTimer } from './link-events.ts'
import type { LinkSettings } from './link-settings.ts'
import { newState, phaseOf, type LinkStep, type LinkPhase, type LinkState } from './link-state.ts'
import { live } from './handle-live.ts'

export type { LinkCommand, LinkEvent, LinkTimer } from './link-events.ts'

/** When each timer is wanted. They follow from the state, so none can be forgotten. */
const due: Record<LinkTimer, (state: LinkState, settings: LinkSettings) => number | undefined> = {
  open: ({ closing, wasReady, startedAt }, { open }) => (closing || wasReady ? undefined : startedAt + open),
  handshake: ({ closing, coming }, { handshake }) =>
    closing || !coming ? undefined : coming.since + handshake,
  retry: ({ closing, retryAt }) => (closing ? undefined : retryAt),
  'roll-over': ({ closing, serving, coming, retryAt }) =>
    closing || coming || retryAt !== undefined ? undefined : serving?.rollAt,
  leave: ({ closing, leaving }) => (closing ? undefined : leaving?.cutAt),
  acknowledgement: ({ closing }) => closing?.acknowledgeBy,
  'close-frame': ({ closing }) => closing?.cutAt,
}
const dues = Object.entries(due) as [LinkTimer, (typeof due)[LinkTimer]][]

/**
 * The life of a link. A pure machine: an event goes in, commands come out; no socket, no clock, no promise.
 *
 *            dial             socket open            setup agreed
 *   start ─────────▶ connecting ─────────▶ open ─────────────────▶ ready ──── goAway, maxAge ───▶ rolling over
 *                        ▲   │ refused,      │ ended                │  │  ▲                          │
 *                        │   │ silent        │                      │  │  └──── the new one is ready ┘
 *                        │   ▼               ▼       dropped        │  │ idle
 *                        └── backing off ◀──────────────────────────┘  ▼
 *                        │      │ budget spent                       idle: sleeps until speech or text
 *                        └──────┼──────────────────────────────────────┘
 *                               ▼
 *   from anywhere: fatal ──▶ closed, with an error
 *   from anywhere: intent ─▶ closing ─▶ closed, and there is no way back
 *
 *   closing: ending frames ─▶ acknowledged, or not in time ─▶ close frame ─▶ ended, or not in time: cut
 */
export class LinkMachine {
  readonly #settings: LinkSettings
  readonly #state: LinkState = newState()

  constructor(settings: LinkSettings) {
    this.#settings = settings
  }

  /** All that is known. */
  get state(): Readonly<LinkState> {
    return this.#state
  }

  get phase(): LinkPhase {
    return phaseOf(this.#state)
  }

  /**
   * What is to be done now that this happened. Timers come first: whoever carries out the rest may cause the next
   * event, whose timers must not be undone by those of this one.
   */
  handle(event: LinkEvent): LinkCommand[] {
    const state = this.#state
    const commands: LinkCommand[] = []
    if (state.over || !advance(state, event)) return commands
    const step: LinkStep = { state, settings: this.#settings, emit: (command) => commands.push(command) }
    if (state.closing) close(step, state.closing, event)
    else if (event.type === 'intent' || event.type === 'close' || event.type === 'abort') {
      intend(step)
      if (state.closing && !state.over) close(step, state.closing, event)
    } else live(step, event)
    const timers = new Map<LinkTimer, number>()
    for (const [timer, dueAt] of dues) {
      const at = state.over ? undefined : dueAt(state, this.#settings)
      if (at !== undefined) timers.set(timer, at)
    }
    return [...changeTimers(state, timers), ...commands]
  }
}
