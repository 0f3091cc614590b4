export type { AgentFile, CallOptions } from './agent-file.ts'
export type { HostHttp } from './app.ts'
export { ListenError } from './errors.ts'
export type { FaultBoard } from './fault-board.ts'
export type { Refused } from './gate.ts'
export { Host, type HostOptions } from './host.ts'
export {
  JournalDriverError,
  JournalInUseError,
  JournalUnavailableError,
  JournalVersionError,
  openJournal,
  type Beat,
  type CallQuery,
  type CallRecord,
  type CallResume,
  type CallState,
  type CallWrite,
  type Claim,
  type ClaimedWork,
  type Entry,
  type HostRecord,
  type HostState,
  type Journal,
  type JournalPlace,
  type LostCall,
  type NewCall,
  type Order,
  type Owner,
  type PostgresOptions,
  type SqliteOptions,
  type Wake,
  type WorkCounts,
  type WorkOutcome,
  type WorkQuery,
  type WorkRecord,
  type WorkState,
  type WriteResult,
} from './journal/index.ts'
export { limits as hostLimits } from './limits.ts'
export { Logbook, type LogbookOptions, type LogbookQuery } from './logbook.ts'
export type { LoggedSession, SessionNote } from './logged-session.ts'
export { HttpServer, refuseUpgrade, serve, type ServeOptions } from './serve.ts'
export {
  culpritsOf,
  type Culprit,
  type FaultInfo,
  type HostInfo,
  type ListMessage,
  type LiveBatch,
  type LiveEvent,
  type LiveMessage,
  type LiveSnapshot,
  type Refusal,
  type ResourceStatus,
  type Saying,
  type SessionDetails,
  type SessionSummary,
} from './wire/index.ts'
