export type { CallOut } from './call-out.ts'
export { culpritsOf, wentWrong } from './culprit.ts'
export { latencyFiguresOf, percentileOf, slowestStageOf, type LatencyFigures } from './latency-figures.ts'
export type {
  CallCost,
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
  Spent,
} from './messages.ts'
export { isWrong } from './outcome.ts'
