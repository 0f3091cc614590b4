import { limits } from './limits.ts'
import type { LinkEnd } from './link-end.ts'
import type { LinkCommand, LinkTimer } from './link-events.ts'
import type { LinkSettings } from './link-settings.ts'

/** The whole state of a link machine, as plain data. */
export interface LinkState {
  /** The time of the latest event. */
  now: number
  startedAt: number
  /** The generation of the connection dialled last. */
  generation: number
  /** Whether the link has ever been ready. */
  wasReady: boolean
  /** The connection in use. */
  current: ConnectionState | undefined
  /** The connection being opened. It becomes the current one when its setup is done. */
  next: ConnectionState | undefined
  /** An earlier connection whose close frame has been sent. */
  retiring: RetiringConnection | undefined
  /** `next` was planned: a rollover, or a new session after an expired one. */
  rollingOver: boolean
  /** When the last rollover began. */
  rolledOverAt: number | undefined
  /** Consecutive rollovers that were wanted sooner than allowed. */
  earlyRollovers: number
  /** The provider ended an unused connection, and the link sleeps. */
  idle: boolean
  /** The link has lost its connection and has no new one yet. False while it is idle or rolls over. */
  disconnected: boolean
  /** When the next connection is dialled after a failure. */
  retryAt: number | undefined
  /** Consecutive failures. */
  failures: number
  /** Failures that were retried, since the link was opened. */
  retries: number
  /** Idle ends with no message from the server between them. */
  idleEnds: number
  /** How the last connection ended. */
  last: LinkEnd | undefined
  /** Set when the scope begins to close, and never unset. */
  closing: Closing | undefined
  closed: boolean
  /** When each timer that is set will fire. */
  timers: Record<LinkTimer, number | undefined>
}

export interface ConnectionState {
  readonly generation: number
  stage: 'dialling' | 'open' | 'ready'
  /** When it was dialled, or became ready. */
  since: number
  answered: boolean
  /** When the protocol wants to leave this connection. */
  rollOverAt: number | undefined
}

export interface RetiringConnection {
  readonly generation: number
  readonly cutAt: number
  /** Whether to dial the next connection once this one has ended. */
  readonly thenDial: boolean
}

export interface Closing {
  /** The connection being closed. */
  readonly generation: number
  /** Whether the scope has reached the link's phase. */
  asked: boolean
  /** The ending frames were sent, and the acknowledgement is pending. */
  awaiting: boolean
  acknowledged: boolean
  /** When to stop waiting for the acknowledgement. */
  acknowledgeBy: number | undefined
  /** When to cut the socket. Set once the close frame has been sent. */
  cutAt: number | undefined
}

/** One step of the machine: the handlers change `state` and emit commands. */
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
  current: undefined,
  next: undefined,
  retiring: undefined,
  rollingOver: false,
  rolledOverAt: undefined,
  earlyRollovers: 0,
  idle: false,
  disconnected: false,
  retryAt: undefined,
  failures: 0,
  retries: 0,
  idleEnds: 0,
  last: undefined,
  closing: undefined,
  closed: false,
  timers: {
    open: undefined,
    handshake: undefined,
    retry: undefined,
    'roll-over': undefined,
    retire: undefined,
    acknowledgement: undefined,
    'close-frame': undefined,
  },
})

/**
 * When the current connection is rolled over: when its protocol wants it, but never right after the last rollover. Each
 * early rollover doubles the pause, so that a peer that sends every connection away at once causes fewer and fewer.
 */
export function rolloverDue({ current, rolledOverAt, earlyRollovers }: LinkState): number | undefined {
  if (current?.rollOverAt === undefined || rolledOverAt === undefined) return current?.rollOverAt
  const pause = Math.min(limits.betweenRollovers * 2 ** earlyRollovers, limits.longestBetweenRollovers)
  return Math.max(current.rollOverAt, rolledOverAt + pause)
}

/** What a link is doing. */
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
  const { current, next, retiring, retryAt } = state
  if (state.closed) return 'closed'
  if (state.closing) return 'closing'
  if (state.idle) return 'idle'
  if (current) return next || retryAt !== undefined ? 'rolling-over' : 'ready'
  if (retiring?.thenDial || (next && state.rollingOver)) return 'rolling-over'
  if (retryAt !== undefined) return 'backing-off'
  return next?.stage === 'open' ? 'open' : 'connecting'
}
