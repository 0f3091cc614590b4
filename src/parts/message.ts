/** A conversation as a language model reads it. */
export type Message = TextMessage | ToolCallMessage | ToolResultMessage

export interface TextMessage {
  readonly role: 'system' | 'user' | 'agent'
  readonly text: string
}

export interface ToolCallMessage {
  readonly role: 'tool-call'
  readonly id: string
  readonly name: string
  /** JSON, as the model wrote it: it may be wrong. */
  readonly input: string
}

export interface ToolResultMessage {
  readonly role: 'tool-result'
  readonly id: string
  readonly name: string
  readonly output: string
  readonly failed: boolean
}

/** What a model is told about a tool. */
export interface ToolDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of its input. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** What a model has used. Fields that a provider does not tell are absent. */
export interface Usage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cachedTokens?: number
  /** Seconds of audio heard or spoken by the model. */
  readonly audioSeconds?: number
  /** Characters spoken. */
  readonly characters?: number
}
