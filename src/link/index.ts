export type { ConnectionReport } from './connection-report.ts'
export { Link } from './link.ts'
export type { LinkStatus } from './link-status.ts'
export type { LinkPhase } from './link-state.ts'
export type { EndClass, LinkEnd } from './link-end.ts'
export { LinkError, type LinkErrorCode } from './link-error.ts'
export type {
  Data,
  Ending,
  InboundLimits,
  KeepAlive,
  LinkConnection,
  LinkContext,
  LinkLogger,
  LinkRequest,
  LinkTiming,
  Protocol,
  QueueLimits,
  Rollover,
} from './protocol.ts'
export { credentialsOf, redact, redactData } from './redact.ts'
export { addressProblem } from './request-problem.ts'
export { watchedNetwork, wsNetwork, type NetworkWatcher } from './ws-network.ts'
