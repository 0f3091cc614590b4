import type { Message, PartUsage, ToolDescription, VendorData } from './message.ts'
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
  /** The calls of one answer come together, followed by their results. */
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDescription[]
}

/** A chunk of an answer. Chunks of other types are ignored. */
export type LlmChunk =
  /** The vendor data of the last chunk that has some counts for the whole text. The text of that chunk may be empty. */
  | { readonly type: 'text'; readonly text: string; readonly vendor?: VendorData }
  | {
      readonly type: 'tool-call'
      readonly id: string
      readonly name: string
      /** JSON as the model wrote it. It may be invalid. */
      readonly input: string
      readonly vendor?: VendorData
    }
  | { readonly type: 'usage'; readonly usage: PartUsage }
