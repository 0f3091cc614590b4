export type { Adoptable, WebSocketLike } from './adopt.ts'
export type { LateOrigin, OpenedKind } from './context.ts'
export { guardAdk, type GuardAdkOptions, type GuardedAdk } from './adk.ts'
export { GuardClosedError, GuardConnectError, GuardNotInstalledError } from './errors.ts'
export {
  guardGemini,
  type GeminiLive,
  type GeminiParameters,
  type GuardedGemini,
  type GuardGeminiOptions,
} from './gemini.ts'
export type { GeminiCallbacks, GeminiSession } from './gemini-connection.ts'
export { guardOpenAI, type GuardOpenAIOptions, type OpenAISession, type OpenAIStatus } from './openai.ts'
export { guard, outside, type Guard, type GuardOptions } from './guard.ts'
export type { LateErrorReport } from './guard-context.ts'
export type { SeveredReport } from './open-resources.ts'
export { limits as guardLimits } from './limits.ts'
export { formatGuard, type GuardReport, type UnownedReport } from './report.ts'
export type { TimersReport } from './timers.ts'
export {
  guardLiveKit,
  type GuardLiveKitOptions,
  type LiveKitCloseEvent,
  type LiveKitRoom,
  type LiveKitSession,
} from './livekit.ts'
