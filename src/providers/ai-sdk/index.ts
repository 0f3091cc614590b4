export { ProviderError, type ProviderFailure } from '../errors.ts'
export { AiSdkLlm, type AiSdkLlmOptions } from './ai-sdk-llm.ts'
export type {
  CallOptions,
  FinishReason,
  FunctionTool,
  Json,
  LanguageModel,
  ModelUsage,
  PartReader,
  PartStream,
  PromptMessage,
  ProviderMetadata,
  ProviderOptions,
  ReasoningPart,
  StreamPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from './language-model.ts'
