import type { Network, Random, Scope } from '../scope/index.ts'
import type { ConnectionReport } from './connection.ts'
import type { Logger } from './logger.ts'

/**
 * What a part is given when a session opens it.
 *
 * A part (an STT, a voice, a line, …) is a description; `open` makes the living thing, and whatever that needs
 * (a link, a worker, a timer) is opened in `scope`. So a part is never closed: its scope is.
 */
export interface PartContext {
  /** Owns everything the part opens. */
  readonly scope: Scope<string>
  /** Where links are opened. */
  readonly network: Network
  /** Where jitter is drawn from. */
  readonly random: Random
  readonly logger: Logger
  /** A connection is over for good: how it ended stands in the session's report. Never throws. */
  readonly ended: (connection: ConnectionReport) => void
}
