import type { LinkEnd } from './link-end.ts'
import type { LinkCommand, LinkTimer } from './link-events.ts'
import type { LinkSettings } from './link-settings.ts'

/** All a machine knows: plain data. */
export interface LinkState {
  /** The latest moment it was told of. */
  now: number
  startedAt: number
  /** The connection dialled last. */
  generation: number
  /** There was a time at which the link was ready. */
  wasReady: boolean
  /** The connection in use. */
  serving: Connection | undefined
  /** The one that will be, when its setup is done. */
  coming: Connection | undefined
  /** One that is on its way out; all it may do is end. */
  leaving: Leaving | undefined
  /** The connection that is coming is a planned one. */
  rolling: boolean
  /** When the last rollover began. */
  rolledAt: number | undefined
  /** The provider ended it because nothing happened: it sleeps. */
  idle: boolean
  /** There was a connection, there is none, and that is not as it should be. */
  bereft: boolean
  /** When the next one is dialled. */
  retryAt: number | undefined
  /** Failures in a row. */
  failures: number
  /** Failures after which it was dialled again, in all its life. */
  retries: number
  /** Idle ends with no answer of the server between them. */
  idleEnds: number
  /** How the last connection ended. */
  last: LinkEnd | undefined
  /** From the intent to close on. Never taken back. */
  closing: Closing | undefined
  over: boolean
  /** When each timer that is set will fire. */
  timers: Record<LinkTimer, number | undefined>
}

export interface Connection {
  readonly generation: number
  stage: 'dialling' | 'open' | 'ready'
  /** When it was dialled, or became ready. */
  since: number
  answered: boolean
  /** When it is to be rolled over, if it is ready then. */
  rollAt: number | undefined
}

export interface Leaving {
  readonly generation: number
  readonly cutAt: number
  /** The next one is dialled when this one is gone. */
  readonly thenDial: boolean
}

export interface Closing {
  /** The connection that is being closed. */
  readonly generation: number
  /** The link's turn has come. */
  asked: boolean
  /** The protocol's own end was sent, and its answer is waited for. */
  awaiting: boolean
  acknowledged: boolean
  /** Until when the acknowledgement is waited for. */
  acknowledgeBy: number | undefined
  /** The close frame was sent: when the socket is cut. */
  cutAt: number | undefined
}

/** What each rule works on. */
export interface LinkStep<Command = LinkCommand> {
  readonly settings: LinkSettings
  readonly state: LinkState
  readonly emit: (command: Command) => void
}

export const newState = (): LinkState => ({
  now: 0,
  startedAt: 0,
  generation: 0,
  wasReady: false,
  serving: undefined,
  coming: undefined,
  leaving: undefined,
  rolling: false,
  rolledAt: undefined,
  idle: false,
  bereft: false,
  retryAt: undefined,
  failures: 0,
  retries: 0,
  idleEnds: 0,
  last: undefined,
  closing: undefined,
  over: false,
  timers: {
    open: undefined,
    handshake: undefined,
    retry: undefined,
    'roll-over': undefined,
    leave: undefined,
    acknowledgement: undefined,
    'close-frame': undefined,
  },
})

/** What a link does, in a word. */
export type LinkPhase =
  | 'connecting'
  | 'open'
  | 'ready'
  | 'idle'
  | 'rolling-over'
  | 'backing-off'
  | 'closing'
  | 'closed'

export function phaseOf(state: LinkState): LinkPhase {
  const { serving, coming, leaving, retryAt } = state
  if (state.over) return 'closed'
  if (state.closing) return 'closing'
  if (state.idle) return 'idle'
  if (serving) return coming || retryAt !== undefined ? 'rolling-over' : 'ready'
  if (leaving?.thenDial || (coming && state.rolling)) return 'rolling-over'
  if (retryAt !== undefined) return 'backing-off'
  return coming?.stage === 'open' ? 'open' : 'connecting'
}
