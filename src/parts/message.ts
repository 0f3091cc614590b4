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
  /** JSON as the model wrote it. It may be invalid. */
  readonly input: string
}

export interface ToolResultMessage {
  readonly role: 'tool-result'
  readonly id: string
  readonly name: string
  readonly output: string
  readonly failed: boolean
}

/** A tool as it is described to a model. */
export interface ToolDescription {
  readonly name: string
  readonly description: string
  /** The JSON Schema of the input. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** What a model has used. Fields that the provider does not report are absent. */
export interface Usage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cachedTokens?: number
  /** Seconds of audio received or generated. */
  readonly audioSeconds?: number
  /** Characters that voices were given to speak. */
  readonly characters?: number
  /** Seconds of speech that voices have made, whether it was heard or not. */
  readonly spokenSeconds?: number
}
