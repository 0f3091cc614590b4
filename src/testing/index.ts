export { drain } from './drain.ts'
export { ExplorationError, explore, type Exploration, type ExploreOptions, type Model } from './explore.ts'
export { FaultError, Faults, type Fault } from './faults.ts'
export { LeakError, noLeaks } from './no-leaks.ts'
export { SimClock } from './sim-clock.ts'
export { SimNetwork, type Manners, type Peer } from './sim-network.ts'
export { SimRandom } from './sim-random.ts'
export {
  inVirtualTime,
  simulate,
  type Life,
  type SimulateOptions,
  type Violation,
  type World,
} from './simulate.ts'
export { stateKeys, type KeyPart } from './state-keys.ts'
export { Trace } from './trace.ts'
export type { PartCounts, PartManners } from './part-instances.ts'
export type { HeardFrame } from './playout-record.ts'
export { callTool, type Answers, type LlmAnswer, type LlmStep, type ScriptedCall } from './script.ts'
export { ScriptedLlm, type Generation, type ScriptedLlmOptions } from './scripted-llm.ts'
export { ScriptedStt, type ScriptedSttOptions, type SttStep } from './scripted-stt.ts'
export { ScriptedTts, type ScriptedSpeech, type ScriptedTtsOptions } from './scripted-tts.ts'
export { ScriptedVad, type ScriptedVadOptions } from './scripted-vad.ts'
export { soundOf, textOf } from './sound-text.ts'
export { TestCaller } from './test-caller.ts'
export { TestConnection } from './test-connection.ts'
export { TestLine } from './test-line.ts'
export type { TestLineOptions } from './test-line-options.ts'
export { partContext, type PartContextOptions, type TestPartContext } from './part-context.ts'
export type { RealtimeAnswer, RealtimeTurn } from './realtime-record.ts'
export { ScriptedRealtime } from './scripted-realtime.ts'
export type { ScriptedRealtimeOptions } from './scripted-realtime-options.ts'
export * from './conformance/index.ts'
export { ExpectationError, type Expectation } from './expectation.ts'
export type { TextPattern } from './fits.ts'
export type { MockRun, MockTool } from './mock-tools.ts'
export { StuckError, type Waiting } from './pace.ts'
export { RehearsalError, rehearse, type Rehearsal, type RunOptions } from './rehearsal.ts'
export type { RehearsalOptions } from './rehearsal-options.ts'
export type {
  TurnApproval,
  TurnClosed,
  TurnDigits,
  TurnEvent,
  TurnFailure,
  TurnHandoff,
  TurnMessage,
  TurnToolCall,
  TurnVerdict,
} from './turn-event.ts'
export type { Turn } from './turn-record.ts'
export { VirtualTime, type VirtualTimeOptions } from './virtual-time.ts'
export { ScriptedFilter, type ScriptedFilterOptions } from './scripted-filter.ts'
export { ScriptedTurnDetector, type ScriptedTurnDetectorOptions } from './scripted-turn-detector.ts'
export { hunt, type HuntResult, type HuntedCase } from './hunt/hunt.ts'
export { HuntError } from './hunt/conversations.ts'
export type { Covered } from './hunt/coverage.ts'
export type { ToolInputs } from './hunt/played-model.ts'
export type { CodeLine, FindingKind, HuntFinding } from './hunt/finding.ts'
export type { HuntCaseView } from './hunt/hunt-case.ts'
export type { HuntOptions, HuntProgress } from './hunt/hunt-options.ts'
export type { AnswerFetch } from './hunt/servers.ts'
export { TestModelError } from './personas/asked-model.ts'
export type { JudgeOptions } from './personas/judge-call.ts'
export { Judgement, type CriterionVerdict } from './personas/judgement.ts'
export type { CallerOptions, PlayedCall } from './personas/played-caller.ts'
