export { batchStt } from './batch-stt.ts'
export type { BatchSttOptions } from './batch-stt-options.ts'
export type { ConnectionReport } from '../link/index.ts'
export type { Filter, FilterStream } from './filter.ts'
export { FallbackError, PartTimeoutError } from './errors.ts'
export { PartMisbehavedError, inlet, isFrame, type EventOf, type Shape } from './inlet.ts'
export { isCallAddress } from './call-address.ts'
export type {
  AnswerVerdict,
  Line,
  LineConnection,
  LineEvents,
  LineToolCall,
  RecordingChange,
  TransferOutcome,
  TransferRequest,
  TransferResult,
} from './line.ts'
export type { Llm, LlmChunk, LlmClient, LlmRequest } from './llm.ts'
export { silentLogger, type Logger } from './logger.ts'
export type {
  Message,
  PartUsage,
  TextMessage,
  ToolCallMessage,
  ToolDescription,
  ToolResultMessage,
  Usage,
  VendorData,
} from './message.ts'
export { noSttEvents } from './no-stt-events.ts'
export type { PartContext, SoundSetup } from './part.ts'
export { sayExactly } from './realtime.ts'
export type { Realtime, RealtimeEvents, RealtimeModel, RealtimeSetup } from './realtime.ts'
export { resampledRealtime, resampledStt, resampledTts, resampledVad } from './resampled.ts'
export { sentenceTts, type SentenceSynthesiser, type SentenceTtsOptions } from './sentence-tts.ts'
export { SentenceSplitter, sentences, type SentenceOptions } from './sentences.ts'
export { SoundMemory } from './sound-memory.ts'
export type { Stt, SttEvents, SttSetup, SttStream, TranscribedWord, TranscriptDetails } from './stt.ts'
export type { SpokenChunk, SpokenWord, Tts, Voice } from './tts.ts'
export type { TurnDetector, TurnJudge, UnfinishedTurn } from './turn-detector.ts'
export type { Vad, VadEvents, VadStream } from './vad.ts'
