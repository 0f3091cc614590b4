/**
 * A language model of the Vercel AI SDK, as far as it is used here. Models of any provider fit as they are, from all
 * three versions of the interface; tests compare these types with those of the SDK.
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

/** What one vendor alone understands, under the vendor's name: `{ openai: { reasoningEffort: 'low' } }`. */
export type ProviderOptions = Record<string, { [key: string]: Json }>

export interface FunctionTool {
  type: 'function'
  name: string
  description: string
  /** JSON Schema. Each version has its own type for it; this one fits into all of them. */
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

/** A `ReadableStream`, of the platform or not. */
export interface PartStream {
  getReader(): PartReader
}

export interface PartReader {
  read(): Promise<{ readonly done: boolean; readonly value?: { readonly type: string } | undefined }>
  cancel(reason?: unknown): Promise<void>
}

/** The parts of a stream that are read. There are many more, and new ones come: they are passed over. */
export type StreamPart =
  | { readonly type: 'text-delta'; readonly delta: string }
  | {
      readonly type: 'tool-call'
      readonly toolCallId: string
      readonly toolName: string
      readonly input: string
      /** The provider has run it itself. */
      readonly providerExecuted?: boolean | undefined
    }
  | { readonly type: 'finish'; readonly usage: ModelUsage; readonly finishReason: FinishReason }
  | { readonly type: 'error'; readonly error: unknown }

/** Version 2 has a word, later ones a pair of words. */
export type FinishReason = string | { readonly unified: string }

/** Version 2 has numbers, later ones tell what they are made of. */
export interface ModelUsage {
  readonly inputTokens:
    | number
    | { readonly total: number | undefined; readonly cacheRead: number | undefined }
    | undefined
  readonly outputTokens: number | { readonly total: number | undefined } | undefined
  readonly cachedInputTokens?: number | undefined
}
