/** A conversation as a language model reads it. */
export type Message = TextMessage | ToolCallMessage | ToolResultMessage

export interface TextMessage {
  readonly role: 'system' | 'user' | 'agent'
  /** May be empty if there is vendor data. */
  readonly text: string
  readonly vendor?: VendorData
}

export interface ToolCallMessage {
  readonly role: 'tool-call'
  readonly id: string
  readonly name: string
  /** JSON as the model wrote it. It may be invalid. */
  readonly input: string
  readonly vendor?: VendorData
}

/**
 * What a vendor attached to its model's words or to a call, such as the signature of a thought. It is kept with them and
 * sent back to the same model. No other model, no caller, no log and no report gets it.
 */
export interface VendorData {
  /** The model that may read it. Others ignore it. */
  readonly model: string
  /** Opaque. */
  readonly data: string
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
  /** Input tokens that the vendor had in its cache. They are part of `inputTokens`. */
  readonly cachedTokens?: number
  /** Seconds of audio received or generated. */
  readonly audioSeconds?: number
  /** Characters that voices were given to speak. */
  readonly characters?: number
  /** Seconds of speech that voices have made, whether it was heard or not. */
  readonly spokenSeconds?: number
  /** Sentences that a voice has spoken in other words than it was given. */
  readonly deviations?: number
}

/** Usage as a part reports it. */
export interface PartUsage extends Usage {
  /** The name of the member of a fallback that used it. Default: the part that reports it. */
  readonly by?: string
}
