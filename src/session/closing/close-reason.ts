/** Why a session ended. The first trigger names the reason (CL2). */
export type CloseReason =
  | 'caller-hung-up'
  | 'caller-lost'
  | 'agent-hung-up'
  | 'requested'
  | 'idle'
  | 'max-duration'
  | 'budget'
  | 'error'
  | 'start-failed'
  | 'host-draining'
  | 'host-lost'

/** Reasons that mean that the session failed. */
export const failures: ReadonlySet<CloseReason> = new Set(['error', 'start-failed'])

/** Reasons that mean that the session was cut off. A drop is never reported as a clean end (CL2). */
export const drops: ReadonlySet<CloseReason> = new Set(['caller-lost', 'host-lost', ...failures])
