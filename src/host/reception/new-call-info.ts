import type { CallInfo } from '../agent-file.ts'
import type { CallResume } from '../journal/journal.ts'

/** What is known about a call before its session begins. */
export interface NewCallInfo {
  readonly id: string
  /** The kind of line: `phone`, `browser`, `rtvi`, `webrtc`. */
  readonly line: string
  /** Who calls, as it may be shown. */
  readonly from: string
  /** For the agent file. */
  readonly info: CallInfo
  readonly resume?: CallResume
  /** The caller was cut off in another process, and has come back. */
  readonly comesBack?: boolean
  /** The W3C `traceparent` of the request. */
  readonly trace?: string
}
