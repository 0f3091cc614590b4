export { drain } from './drain.ts'
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
export { Trace } from './trace.ts'
export type { PartCounts, PartManners } from './part-life.ts'
export type { HeardFrame } from './playout-record.ts'
export {
  ScriptedLlm,
  callTool,
  type Generation,
  type LlmAnswer,
  type LlmStep,
  type ScriptedLlmOptions,
} from './scripted-llm.ts'
export { ScriptedStt, type ScriptedSttOptions, type SttStep } from './scripted-stt.ts'
export { ScriptedTts, type ScriptedSpeech, type ScriptedTtsOptions } from './scripted-tts.ts'
export { ScriptedVad, type ScriptedVadOptions } from './scripted-vad.ts'
export { soundOf, textOf } from './sound-text.ts'
export { TestCaller } from './test-caller.ts'
export { TestConnection } from './test-connection.ts'
export { TestLine, type TestLineOptions } from './test-line.ts'
