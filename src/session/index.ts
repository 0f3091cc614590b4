export {
  Agent,
  AgentTask,
  type AgentOptions,
  type AgentTaskOptions,
  type HookContext,
  type Stages,
} from './agent.ts'
export {
  HandoffError,
  SessionClosedError,
  SessionEndingError,
  SpeechStalledError,
  StartTimeoutError,
  ToolError,
  UninterruptibleError,
} from './errors.ts'
export type { SessionEvents, SessionState } from './events.ts'
export { fileSink, type FileSinkOptions } from './file-sink.ts'
export type { HangUpOptions, HangUpOutcome } from './graceful-end.ts'
export type { Guardrail, Guardrails, Verdict } from './guardrails.ts'
export type {
  HandoffItem,
  HistoryItem,
  HistoryJSON,
  MessageItem,
  ToolItem,
  ToolResult,
} from './history-item.ts'
export { History } from './history.ts'
export { RecordingError, type RecordingSink } from './recording-sink.ts'
export { Reply, type ReplyOutcome } from './reply.ts'
export {
  formatSession,
  type CloseReason,
  type FormatSessionOptions,
  type SessionReport,
  type TurnReport,
} from './report.ts'
export type { StandardSchema } from './schema.ts'
export { Session, type CloseSessionOptions } from './session.ts'
export type { AfterCall, Budget, Models, SessionOptions, SessionTurnOptions } from './settings.ts'
export { Speech, type PlayoutOutcome, type SpeechOptions } from './speech.ts'
export {
  tool,
  type Tool,
  type ToolContext,
  type ToolOptions,
  type ToolPlayout,
  type Toolset,
} from './tool.ts'
export type { ToolOutcome } from './tool-runner.ts'
