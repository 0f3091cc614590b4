import type { Message, ToolDescription, Usage } from './message.ts'
import type { PartContext } from './part.ts'

/** A language model: messages and tools in, text and tool calls out. */
export interface Llm {
  readonly name: string
  /** The vendor, for traces: `openai`. Default: the name. */
  readonly provider?: string
  /** The vendor's name for the model, for traces: `gpt-5.4-mini`. Default: the name. */
  readonly model?: string
  open(context: PartContext): Promise<LlmClient>
}

export interface LlmClient {
  /** Streams an answer. Throws if it fails. When `signal` aborts, it stops and throws the signal's reason. */
  generate(request: LlmRequest, signal: AbortSignal): AsyncIterable<LlmChunk>
}

export interface LlmRequest {
  readonly instructions: string
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDescription[]
}

/** A chunk of an answer. Chunks of other types are ignored. */
export type LlmChunk =
  | { readonly type: 'text'; readonly text: string }
  /** `input` is JSON as the model wrote it. It may be invalid. */
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly input: string }
  | { readonly type: 'usage'; readonly usage: Usage }
