/**
 * The part of the Vercel AI SDK's language model interface that is used here. It accepts models of any provider, in all
 * three versions of the interface; tests compare these types with the SDK's.
 */
export interface LanguageModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4'
  readonly provider: string
  readonly modelId: string
  doStream(options: CallOptions): PromiseLike<{ readonly stream: PartStream }>
}

export interface CallOptions {
  prompt: PromptMessage[]
  tools?: FunctionTool[]
  temperature?: number
  maxOutputTokens?: number
  providerOptions?: ProviderOptions
  abortSignal: AbortSignal
}

export type Json = null | string | number | boolean | Json[] | { [key: string]: Json }

/** Vendor-specific options by vendor name: `{ openai: { reasoningEffort: 'low' } }`. */
export type ProviderOptions = Record<string, { [key: string]: Json }>

export interface FunctionTool {
  type: 'function'
  name: string
  description: string
  /** A JSON Schema. Each version has its own type for it; this one is assignable to all of them. */
  inputSchema: Record<string, never>
}

export type PromptMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: TextPart[] }
  | { role: 'assistant'; content: (TextPart | ToolCallPart)[] }
  | { role: 'tool'; content: ToolResultPart[] }

export interface TextPart {
  type: 'text'
  text: string
}

export interface ToolCallPart {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  input: unknown
}

export interface ToolResultPart {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output: { type: 'text' | 'error-text'; value: string }
}

/** The part of `ReadableStream` that is used. */
export interface PartStream {
  getReader(): PartReader
}

export interface PartReader {
  read(): Promise<{ readonly done: boolean; readonly value?: { readonly type: string } | undefined }>
  cancel(reason?: unknown): Promise<void>
}

/** The stream parts that are read; all others are ignored. */
export type StreamPart =
  | { readonly type: 'text-delta'; readonly delta: string }
  | {
      readonly type: 'tool-call'
      readonly toolCallId: string
      readonly toolName: string
      readonly input: string
      /** The provider ran the tool itself. */
      readonly providerExecuted?: boolean | undefined
    }
  | { readonly type: 'finish'; readonly usage: ModelUsage; readonly finishReason: FinishReason }
  | { readonly type: 'error'; readonly error: unknown }

/** A string in version 2, an object in later versions. */
export type FinishReason = string | { readonly unified: string }

/** Version 2 has plain numbers; later versions break them down. */
export interface ModelUsage {
  readonly inputTokens:
    | number
    | { readonly total: number | undefined; readonly cacheRead: number | undefined }
    | undefined
  readonly outputTokens: number | { readonly total: number | undefined } | undefined
  readonly cachedInputTokens?: number | undefined
}
