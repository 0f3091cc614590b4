export {
  check,
  conformance,
  findings,
  type Check,
  type Finding,
  type Framework,
  type Make,
  type Play,
  type Skippable,
} from './check.ts'
export { filterConformance, type FilterSubject } from './filter.ts'
export { lifecycle, type Openable } from './lifecycle.ts'
export { lineConformance, type LineSubject } from './line.ts'
export { llmConformance, type LlmSubject } from './llm.ts'
export { realtimeConformance, type RealtimeSubject } from './realtime.ts'
export { Stage, onFastStage, onRealStage, onVirtualStage, type OnStage } from './stage.ts'
export { sttConformance, type SttSubject } from './stt.ts'
export { ttsConformance, type TtsSubject } from './tts.ts'
export { vadConformance, type VadSubject } from './vad.ts'
