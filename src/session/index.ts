export {
  Agent,
  AgentTask,
  isAgent,
  type AgentOptions,
  type AgentTaskOptions,
  type HookContext,
  type SessionHandle,
  type Stages,
} from './answering/agent.ts'
export { MessageError, type CallerMessage } from './answering/caller-message.ts'
export { pageTool } from './answering/page-tool.ts'
export { askForKeys, type AskForKeysOptions } from './answering/ask-for-keys.ts'
export {
  HandoffError,
  SessionClosedError,
  SessionEndingError,
  SpeechStalledError,
  StartTimeoutError,
  ToolError,
  UninterruptibleError,
} from './errors.ts'
export type { SessionState } from './closing/session-events.ts'
export type { SessionEvents } from './events.ts'
export type { UserState } from './hearing/turn-events.ts'
export { fileSink, type FileSinkOptions } from './recording/file-sink.ts'
export type { CloseSessionOptions, HangUpOptions, HangUpOutcome, TransferOptions } from './closing/asks.ts'
export type { Budget } from './closing/caps.ts'
export type { CallEnding, CloseReason } from './closing/close-reason.ts'
export type { CostReport, Price, Prices } from './closing/cost.ts'
export { checkPriceList, defaultPriceList, type ListPrice, type PriceList } from './closing/price-list.ts'
export type { Guardrail, Guardrails, Verdict } from './answering/guardrails.ts'
export type {
  HandoffItem,
  HistoryItem,
  HistoryJSON,
  KeysItem,
  MessageItem,
  ToolItem,
  ToolResult,
  ToolStop,
} from './history/history-item.ts'
export { History } from './history/history.ts'
export { RecordingError, type RecordingReport, type RecordingSink } from './recording/recording-sink.ts'
export { menuTools, type MenuToolsOptions } from './answering/menu-tools.ts'
export type { Reply, ReplyOptions, ReplyOutcome } from './answering/reply.ts'
export {
  formatLatency,
  formatSession,
  type FormatSessionOptions,
  type SessionReport,
  type TurnReport,
  type TransferReport,
} from './closing/report.ts'
export type { StandardSchema } from './answering/schema.ts'
export { Session } from './session.ts'
export type { AfterCall, Models, SessionOptions, SessionTurnOptions } from './settings.ts'
export { Speech, type PlayoutOutcome, type PressOutcome, type SpeechOptions } from './speaking/speech.ts'
export type { SoundOptions, SoundsOptions, ThinkingSoundOptions } from './speaking/sound-loop.ts'
export { turnStages, type TurnLatency, type TurnStage } from './turn-timing.ts'
export {
  tool,
  type Tool,
  type ToolContext,
  type ToolOptions,
  type ToolOutcome,
  type NestedTask,
  type ToolPlayout,
  type Toolset,
} from './answering/tool.ts'
