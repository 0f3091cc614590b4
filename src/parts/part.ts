import type { AudioFormat } from '../audio/index.ts'
import type { Network, Random, Scope } from '../scope/index.ts'
import type { ConnectionReport } from '../link/index.ts'
import type { Logger } from './logger.ts'
import type { PartUsage } from './message.ts'

/** What a part that takes or makes sound is opened with. */
export interface SoundSetup {
  /** The format of that sound, one of those that the part declares. */
  readonly format: AudioFormat
}

/**
 * What a session passes to a part when it opens it.
 *
 * A part (an STT, a voice, a line, …) is only a description. `open` starts it, and opens whatever it needs (a link, a
 * worker, a timer) in `scope`. Closing the scope closes the part.
 */
export interface PartContext {
  /** Owns everything the part opens. */
  readonly scope: Scope<string>
  /** The network that links dial on. */
  readonly network: Network
  /** The source of jitter. */
  readonly random: Random
  readonly logger: Logger
  /** To be called when a connection has ended for good. The session's report lists it. Never throws. */
  readonly ended: (connection: ConnectionReport) => void
  /** To be called with what the vendor charges for, by parts that have no other callback for it, such as a voice. */
  readonly used: (usage: PartUsage) => void
}
