export {
  endOf,
  redactedItem,
  redactedReport,
  redactedSummary,
  searched,
  wordsOf,
  workKey,
} from './call-texts.ts'
export {
  JournalDriverError,
  JournalInUseError,
  JournalUnavailableError,
  JournalVersionError,
} from './errors.ts'
export type {
  Beat,
  CallQuery,
  CallRecord,
  CallRecording,
  CallResume,
  CallSort,
  CallState,
  CallSummary,
  CallWrite,
  Claim,
  ClaimedWork,
  DialEnd,
  DialRecord,
  Entry,
  HostRecord,
  HostState,
  Journal,
  LostCall,
  NewCall,
  NewDial,
  Order,
  Owner,
  Wake,
  WakeListener,
  WorkCounts,
  WorkOutcome,
  WorkQuery,
  WorkRecord,
  WorkState,
  WriteResult,
} from './journal.ts'
export { checkJournal, type JournalCheck } from './check-journal.ts'
export { Listeners } from './listeners.ts'
export { openJournal, type JournalPlace } from './open-journal.ts'
export type { PostgresOptions } from './postgres/postgres-database.ts'
export type { SqliteOptions } from './sqlite/sqlite-database.ts'
export { hasNodeSqlite } from './sqlite/driver.ts'
export { describeUrl as describeDatabase } from './postgres/failure.ts'
