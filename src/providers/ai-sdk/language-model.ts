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
  | { role: 'assistant'; content: (ReasoningPart | TextPart | ToolCallPart)[] }
  | { role: 'tool'; content: ToolResultPart[] }

/** What a vendor attached to a part of its answer: JSON by vendor name. Sent back unchanged, as options of the part. */
export type ProviderMetadata = Readonly<Record<string, object>>

export interface TextPart {
  type: 'text'
  text: string
  providerOptions?: ProviderOptions
}

export interface ReasoningPart {
  type: 'reasoning'
  text: string
  providerOptions?: ProviderOptions
}

export interface ToolCallPart {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  input: unknown
  providerOptions?: ProviderOptions
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
  | Each<'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end', PartOfAnswer>
  | Each<'text-delta' | 'reasoning-delta', PartOfAnswer & { readonly delta: string }>
  | {
      readonly type: 'tool-call'
      readonly toolCallId: string
      readonly toolName: string
      readonly input: string
      /** The provider ran the tool itself. */
      readonly providerExecuted?: boolean | undefined
      readonly providerMetadata?: ProviderMetadata | undefined
    }
  | { readonly type: 'finish'; readonly usage: ModelUsage; readonly finishReason: FinishReason }
  | { readonly type: 'error'; readonly error: unknown }

type Each<Type extends string, Fields> = Type extends string ? Fields & { readonly type: Type } : never

interface PartOfAnswer {
  readonly id: string
  readonly providerMetadata?: ProviderMetadata | undefined
}

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
