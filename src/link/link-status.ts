import type { LinkEnd } from './link-end.ts'
import type { LinkPhase } from './link-state.ts'

/** The current status of a link, for display. */
export interface LinkStatus {
  readonly phase: LinkPhase
  /** How many connections it has dialled. */
  readonly generation: number
  /** Reconnects after failures. */
  readonly retries: number
  /** Consecutive failures. */
  readonly failures: number
  /** Messages waiting to be sent. */
  readonly queued: number
  /** Audio messages that were never sent. */
  readonly droppedAudio: number
  /** How the last connection ended. */
  readonly last?: LinkEnd
}
