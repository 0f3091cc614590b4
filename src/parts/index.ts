export { iterate, type IterateOptions } from './iterate.ts'
export type { Line, LineConnection, LineEvents } from './line.ts'
export type { Llm, LlmChunk, LlmClient, LlmRequest } from './llm.ts'
export { silent, type Logger } from './logger.ts'
export type {
  Message,
  TextMessage,
  ToolCallMessage,
  ToolDescription,
  ToolResultMessage,
  Usage,
} from './message.ts'
export type { PartContext } from './part.ts'
export type { Realtime, RealtimeEvents, RealtimeModel, RealtimeSetup } from './realtime.ts'
export { SignalStop, type Stop } from './stop.ts'
export type { Stt, SttEvents, SttStream } from './stt.ts'
export type { SpokenChunk, SpokenWord, Tts, Voice } from './tts.ts'
export type { TurnDetector, TurnJudge, Vad, VadEvents, VadStream } from './vad.ts'
