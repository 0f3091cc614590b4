/** Why a session ended. The first trigger names the reason (CL2). */
export type CloseReason =
  | 'caller-hung-up'
  | 'caller-lost'
  | 'agent-hung-up'
  | 'transferred'
  | 'requested'
  | 'idle'
  | 'max-duration'
  | 'budget'
  | 'error'
  | 'start-failed'
  | 'host-draining'
  | 'host-lost'

/** How a call ended, whatever the close was like. */
export type CallEnding = 'hung-up' | 'transferred' | 'lost' | 'requested' | 'capped' | 'failed'

export const endings: Readonly<Record<CloseReason, CallEnding>> = {
  'caller-hung-up': 'hung-up',
  'agent-hung-up': 'hung-up',
  transferred: 'transferred',
  'caller-lost': 'lost',
  'host-lost': 'lost',
  requested: 'requested',
  'host-draining': 'requested',
  idle: 'capped',
  'max-duration': 'capped',
  budget: 'capped',
  error: 'failed',
  'start-failed': 'failed',
}

/** Reasons that mean that the session failed. */
export const failures: ReadonlySet<CloseReason> = new Set(['error', 'start-failed'])

/** Reasons that mean that the session was cut off: a graceful end in progress does not name the reason then (CL2). */
export const drops: ReadonlySet<CloseReason> = new Set(['caller-lost', 'host-lost', ...failures])
