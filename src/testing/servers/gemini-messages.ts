/** What was said, as the server remembers it. */
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

/** A client's message, as far as the server looks at it. It has exactly one of these. */
export interface GeminiClientMessage {
  setup?: GeminiSetup
  clientContent?: { turns?: GeminiGivenContent[]; turnComplete?: boolean }
  realtimeInput?: GeminiRealtimeInput
  toolResponse?: { functionResponses?: GeminiFunctionResponse[] }
  contextUpdate?: object
}

/** Content as a client gives it. */
export interface GeminiGivenContent {
  role?: string
  parts?: { text?: string; functionCall?: object; functionResponse?: object }[]
}

export interface GeminiSetup {
  model?: string
  generationConfig?: { responseModalities?: string[] }
  systemInstruction?: unknown
  tools?: unknown
  sessionResumption?: { handle?: string; transparent?: boolean }
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

/** What the server sends. */
export interface GeminiServerMessage {
  setupComplete?: { sessionId?: string }
  serverContent?: GeminiServerContent
  toolCall?: { functionCalls: GeminiFunctionCall[] }
  toolCallCancellation?: { ids: string[] }
  usageMetadata?: { promptTokenCount: number; responseTokenCount: number; totalTokenCount: number }
  /** A duration, as `10s`. */
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
