export type { AgentFile, CallOptions } from './agent-file.ts'
export type { HostHttp } from './app.ts'
export { culpritsOf } from './culprit.ts'
export { ListenError } from './errors.ts'
export type { FaultBoard } from './fault-board.ts'
export type { Refused } from './gate.ts'
export { Host, type HostOptions } from './host.ts'
export { limits as hostLimits } from './limits.ts'
export { Logbook, type LogbookOptions, type LogbookQuery } from './logbook.ts'
export type { LoggedSession, SessionNote } from './logged-session.ts'
export { HttpServer, refuseUpgrade, serve, type ServeOptions } from './serve.ts'
export type {
  Culprit,
  FaultInfo,
  HostInfo,
  ListMessage,
  LiveBatch,
  LiveEvent,
  LiveMessage,
  LiveSnapshot,
  Refusal,
  ResourceStatus,
  Saying,
  SessionDetails,
  SessionSummary,
} from './wire.ts'
