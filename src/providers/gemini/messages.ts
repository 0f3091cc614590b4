/** A piece of the conversation, as the service writes it. */
export interface Content {
  role: 'user' | 'model'
  parts: Part[]
}

export type Part = { text: string } | { functionCall: FunctionCall } | { functionResponse: FunctionResponse }

export interface FunctionCall {
  id: string
  name: string
  args: Record<string, unknown>
}

export interface FunctionResponse {
  id: string
  name: string
  /** `output`, or `error` if it failed. */
  response: Record<string, unknown>
}

// ── what is sent ──

export interface Setup {
  model: string
  generationConfig: {
    responseModalities: 'AUDIO'[]
    temperature?: number
    speechConfig?: {
      voiceConfig?: { prebuiltVoiceConfig: { voiceName: string } }
      languageCode?: string
    }
  }
  systemInstruction?: { parts: { text: string }[] }
  tools?: { functionDeclarations: FunctionDeclaration[] }[]
  sessionResumption: { handle?: string }
  /** Numbers of 64 bits are text in this JSON. */
  contextWindowCompression?: { triggerTokens?: string; slidingWindow: { targetTokens?: string } }
  inputAudioTranscription: object
  outputAudioTranscription: object
  realtimeInputConfig: {
    automaticActivityDetection: { disabled?: true; prefixPaddingMs?: number; silenceDurationMs?: number }
    activityHandling?: 'NO_INTERRUPTION'
  }
}

export interface FunctionDeclaration {
  name: string
  description: string
  parameters?: Schema
  behavior: 'BLOCKING'
}

/** What is left of JSON Schema: a subset of that of OpenAPI 3.0. */
export interface Schema {
  type?: 'STRING' | 'NUMBER' | 'INTEGER' | 'BOOLEAN' | 'ARRAY' | 'OBJECT' | 'NULL'
  title?: string
  description?: string
  format?: string
  nullable?: boolean
  enum?: string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  minimum?: number
  maximum?: number
  minItems?: string
  maxItems?: string
  minLength?: string
  maxLength?: string
  pattern?: string
}

/** It adds to the conversation; whatever is being generated is interrupted by it. */
export interface ClientContent {
  turns: Content[]
  /** The model is to answer now. */
  turnComplete: boolean
}

/** A message has exactly one of these. */
export type ClientMessage =
  | { setup: Setup }
  | { clientContent: ClientContent }
  | { toolResponse: { functionResponses: FunctionResponse[] } }
  | { realtimeInput: { activityStart: object } }
  | { realtimeInput: { activityEnd: object } }
  | { realtimeInput: { audioStreamEnd: true } }
  | { realtimeInput: { audio: { data: string; mimeType: string } } }

// ── what is read; other fields are passed over ──

export interface ServerMessage {
  readonly setupComplete?: object | undefined
  readonly serverContent?: ServerContent | undefined
  readonly toolCall?: { readonly functionCalls?: readonly Partial<FunctionCall>[] | undefined } | undefined
  readonly toolCallCancellation?: { readonly ids?: readonly string[] | undefined } | undefined
  readonly usageMetadata?: UsageMetadata | undefined
  /** A duration, as `10s`. */
  readonly goAway?: { readonly timeLeft?: string | undefined } | undefined
  readonly sessionResumptionUpdate?: ResumptionUpdate | undefined
  readonly voiceActivity?: { readonly voiceActivityType?: string | undefined } | undefined
}

export interface ServerContent {
  readonly modelTurn?: { readonly parts?: readonly ServerPart[] | undefined } | undefined
  readonly inputTranscription?: { readonly text?: string | undefined } | undefined
  readonly outputTranscription?: { readonly text?: string | undefined } | undefined
  readonly interrupted?: boolean | undefined
  readonly generationComplete?: boolean | undefined
  readonly turnComplete?: boolean | undefined
  readonly turnCompleteReason?: string | undefined
}

/** Only sound is read. Text is what the model thinks by itself; its words come with the transcription. */
export interface ServerPart {
  readonly inlineData?: { readonly data?: string | undefined } | undefined
}

export interface ResumptionUpdate {
  readonly newHandle?: string | undefined
  readonly resumable?: boolean | undefined
}

export interface UsageMetadata {
  readonly promptTokenCount?: number | undefined
  readonly toolUsePromptTokenCount?: number | undefined
  readonly cachedContentTokenCount?: number | undefined
  readonly responseTokenCount?: number | undefined
  readonly thoughtsTokenCount?: number | undefined
}
