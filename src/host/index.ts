export { agentFor, type AgentFile, type CallInfo, type CallOptions } from './agent-file.ts'
export type { HostHttp } from './answers.ts'
export { ListenError } from './errors.ts'
export type { FaultBoard } from './fault-board.ts'
export type { Refused } from './gate.ts'
export { Host, type HostOptions } from './host.ts'
export {
  JournalDriverError,
  JournalInUseError,
  JournalUnavailableError,
  JournalVersionError,
  checkJournal,
  describeDatabase,
  hasNodeSqlite,
  openJournal,
  type Beat,
  type CallQuery,
  type CallRecord,
  type CallRecording,
  type CallResume,
  type CallState,
  type CallWrite,
  type Claim,
  type ClaimedWork,
  type DialEnd,
  type DialRecord,
  type Entry,
  type HostRecord,
  type HostState,
  type Journal,
  type JournalCheck,
  type JournalPlace,
  type LostCall,
  type NewCall,
  type NewDial,
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
export { Archive } from './archive.ts'
export { Operations, type OperationsOptions, type RetryQuery } from './fleet/operations.ts'
export { limits as hostLimits } from './limits.ts'
export { Logbook, type LogbookOptions, type LogbookQuery } from './logbook.ts'
export type { LoggedSession, SessionNote } from './logged-session.ts'
export { HttpServer, refuseUpgrade, listen, type ListenOptions } from './http-server.ts'
export type { PhoneAccount } from './reception/entrance-options.ts'
export { Reception, type ReceptionOptions } from './reception/reception.ts'
export type { ReceptionEnd } from './reception/reception-end.ts'
export type { DialledModel } from './dial/dial-model.ts'
export { checkAgent, type AgentSummary, type CheckAgentOptions } from './start/check-agent.ts'
export { checkModels, modelNames } from './start/check-models.ts'
export { AgentFileError, PackagesMissingError } from './start/errors.ts'
export { loadAgent, readsTypeScript } from './start/load-agent.ts'
export { openAgent, type OpenedAgent } from './start/open-agent.ts'
export { serve } from './start/serve.ts'
export type { Running } from './start/production-host.ts'
export type { ServeOptions } from './start/serve-options.ts'
export { ownVersion } from './start/version.ts'
export { exitCodes as hostExitCodes } from './exit-codes.ts'
export type { WorkerView } from './supervisor/supervisor-options.ts'
export {
  culpritsOf,
  type CallOut,
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
export { jsonLog, type JsonLogOptions } from './watch/json-log.ts'
export { isLevel, isLogged, logLevels, type Level } from './log-levels.ts'
export { logRecord, type LogRecord } from './watch/log-record.ts'
export { WorkerMetrics, mergeMetrics, metricsResponse, type MetricsSnapshot } from './watch/merge-metrics.ts'
export type { AttemptOutcome, BlockOutcome, RefusedWhy, RestartWhy } from './watch/metric-table.ts'
export { Metrics, type CallLabels, type MetricsOptions } from './watch/metrics.ts'
export { traceparentOf } from './watch/traceparent.ts'
export { openTraces } from './watch/traces.ts'
export type { CallTrace, TracedCall, Traces, TracesOptions } from './watch/trace-types.ts'
export {
  RetryLater,
  Unrecoverable,
  WebhookError,
  WorkRunner,
  handlersProblem,
  webhook,
  type AfterCallContext,
  type AfterCallHandler,
  type AfterCallHandlers,
  type WebhookOptions,
  type WorkAttempt,
  type WorkJournal,
  type WorkRunnerOptions,
} from './work/index.ts'
export { defaultPriceList, type ListPrice, type PriceList } from '../session/index.ts'
