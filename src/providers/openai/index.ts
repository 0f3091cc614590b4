export { LinkError, type LinkErrorCode } from '../../link/index.ts'
export { MissingKeyError, ProviderError, type ProviderFailure } from '../errors.ts'
export type { OpenAIAuth, OpenAIEndpointOptions } from './endpoint.ts'
export { OpenAIRealtime, type OpenAIRealtimeOptions } from './openai-realtime.ts'
export { OpenAILive, type OpenAILiveOptions } from './live/openai-live.ts'
export type {
  OpenAIModelOptions,
  OpenAIReasoning,
  OpenAIToolChoice,
  OpenAITruncation,
} from './model-settings.ts'
export type {
  OpenAINoiseReduction,
  OpenAITranscription,
  OpenAITurnDetection,
  OpenAIVoice,
} from './session-config.ts'
export { OpenAIStt, type OpenAISttOptions } from './openai-stt.ts'
export { OpenAITts, type OpenAITtsOptions } from './openai-tts.ts'
export { OpenAIHttpTts, type OpenAIHttpTtsOptions } from './openai-http-tts.ts'
