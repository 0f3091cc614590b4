import type { Opened } from '../../guard/hooks.ts'
import type { AgentFile } from '../../host/index.ts'
import type { MockTool } from '../mock-tools.ts'
import type { ToolInputs } from './played-model.ts'
import type { RealFunctions } from './real-work.ts'
import type { AnswerFetch } from './servers.ts'

/** What all calls of a hunt share. */
export interface HuntWorld {
  readonly file: AgentFile
  readonly seed: number
  readonly inputs: ToolInputs
  readonly mocks: Readonly<Record<string, MockTool>>
  readonly fetch: AnswerFetch | undefined
  readonly online: boolean
  /** Whether the agent file uses a realtime model. */
  readonly isRealtime: boolean
  /** Whether the session options of the file fit the scripted models. */
  readonly keepsTurns: boolean
  /** The date at which each call begins, in milliseconds since 1970. Undefined for the default of virtual time. */
  readonly epoch: number | undefined
  readonly real: RealFunctions
  /** Everything that the agent's code has opened and that is still open. The hunt ends it when it is done. */
  readonly open: Set<Opened>
  /** Functions that have left something open. */
  readonly leaks: Set<string>
}

/** How one call is played. */
export interface PlayOptions {
  /** Whether to record where code waits and what it opens, which takes time. Default: false. */
  readonly traced?: boolean
  /** Whether to wait longer for work that cannot be seen. Default: as long as the hunt has learned to. */
  readonly patient?: boolean
}
