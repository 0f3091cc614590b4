export type { CallOut } from './call-out.ts'
export { culpritsOf } from './culprit.ts'
export type {
  CloseTimes,
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
} from './messages.ts'
export { isWrong } from './outcome.ts'
