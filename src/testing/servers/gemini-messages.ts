/** A piece of the conversation. */
export interface GeminiContent {
  role: 'user' | 'model'
  parts: GeminiPart[]
}

export interface GeminiPart {
  text?: string
  inlineData?: { data: string; mimeType: string }
  functionCall?: GeminiFunctionCall
  functionResponse?: GeminiFunctionResponse
}

export interface GeminiFunctionCall {
  id: string
  name: string
  args: Record<string, unknown>
}

export interface GeminiFunctionResponse {
  id?: string
  name?: string
  response?: Record<string, unknown>
}

/** A client message, with the fields that the server reads. Exactly one is set. */
export interface GeminiClientMessage {
  setup?: GeminiSetup
  clientContent?: { turns?: GeminiClientContent[]; turnComplete?: boolean }
  realtimeInput?: GeminiRealtimeInput
  toolResponse?: { functionResponses?: (GeminiFunctionResponse & { scheduling?: string })[] }
  contextUpdate?: { systemInstruction?: unknown; tools?: { tools?: unknown } }
}

/** Content as the client sends it, not validated. */
export interface GeminiClientContent {
  role?: string
  parts?: { text?: string; functionCall?: object; functionResponse?: GeminiFunctionResponse }[]
}

export interface GeminiSetup {
  model?: string
  generationConfig?: { responseModalities?: string[] }
  systemInstruction?: unknown
  tools?: unknown
  sessionResumption?: { handle?: string; transparent?: boolean }
  historyConfig?: { initialHistoryInClientContent?: boolean }
  contextWindowCompression?: object
  inputAudioTranscription?: object
  outputAudioTranscription?: object
  realtimeInputConfig?: {
    automaticActivityDetection?: {
      disabled?: boolean
      silenceDurationMs?: number
      prefixPaddingMs?: number
    }
    activityHandling?: string
  }
}

export interface GeminiRealtimeInput {
  audio?: { data?: string; mimeType?: string }
  video?: object
  mediaChunks?: { data?: string; mimeType?: string }[]
  text?: string
  audioStreamEnd?: boolean
  activityStart?: object
  activityEnd?: object
}

export interface GeminiServerMessage {
  setupComplete?: { sessionId?: string }
  serverContent?: GeminiServerContent
  toolCall?: { functionCalls: GeminiFunctionCall[] }
  toolCallCancellation?: { ids: string[] }
  usageMetadata?: { promptTokenCount: number; responseTokenCount: number; totalTokenCount: number }
  /** A duration such as `10s`. */
  goAway?: { timeLeft: string }
  sessionResumptionUpdate?: { newHandle: string; resumable: boolean }
}

export interface GeminiServerContent {
  modelTurn?: GeminiContent
  inputTranscription?: { text: string }
  outputTranscription?: { text: string }
  interrupted?: true
  generationComplete?: true
  turnComplete?: true
}
