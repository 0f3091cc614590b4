import { checkOf } from '../vendor-message.ts'

/** A piece of the conversation. */
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
  /** Has `output`, or `error` if the call failed. */
  response: Record<string, unknown>
}

/** When the result of an asynchronous call is answered: as soon as the model is idle. */
export interface Scheduled {
  scheduling?: 'WHEN_IDLE'
}

// ── sent ──

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
  /** The service's JSON has 64-bit numbers as strings. */
  contextWindowCompression?: { triggerTokens?: string; slidingWindow: { targetTokens?: string } }
  inputAudioTranscription: object
  outputAudioTranscription: object
  /** The first content of the connection is history, and is not answered. */
  historyConfig?: { initialHistoryInClientContent: true }
  realtimeInputConfig: {
    automaticActivityDetection: { disabled?: true; prefixPaddingMs?: number; silenceDurationMs?: number }
    activityHandling?: 'NO_INTERRUPTION'
  }
}

export interface FunctionDeclaration {
  name: string
  description: string
  parameters?: Schema
  behavior?: 'BLOCKING' | 'NON_BLOCKING'
}

/** Replaces the instructions and tools of the setup. */
export interface ContextUpdate {
  systemInstruction: { parts: { text: string }[] }
  tools: { tools: { functionDeclarations: FunctionDeclaration[] }[] }
}

/** The part of JSON Schema that the service accepts: a subset of OpenAPI 3.0. */
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

/** Adds to the conversation. Never empty. */
export interface ClientContent {
  turns: Content[]
  /** Whether the model should answer now, which interrupts the generation in progress. */
  turnComplete: boolean
}

/** A message has exactly one of these. */
export type ClientMessage =
  | { setup: Setup }
  | { clientContent: ClientContent }
  | { contextUpdate: ContextUpdate }
  | { toolResponse: { functionResponses: (FunctionResponse & Scheduled)[] } }
  | { realtimeInput: { activityStart: object } }
  | { realtimeInput: { activityEnd: object } }
  | { realtimeInput: { audioStreamEnd: true } }
  | { realtimeInput: { audio: { data: string; mimeType: string } } }

// ── received; all other fields are ignored ──

export interface ServerMessage {
  readonly setupComplete?: object | undefined
  readonly serverContent?: ServerContent | undefined
  readonly toolCall?: { readonly functionCalls?: readonly Partial<FunctionCall>[] | undefined } | undefined
  readonly toolCallCancellation?: { readonly ids?: readonly string[] | undefined } | undefined
  readonly usageMetadata?: UsageMetadata | undefined
  /** A duration such as `10s`. */
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

/** Only audio is read. Text parts are the model's thoughts; what it says is in `outputTranscription`. */
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

export const checkServerMessage = checkOf<ServerMessage>({
  setupComplete: {},
  serverContent: {
    modelTurn: { parts: [{ inlineData: { data: 'audio' } }] },
    inputTranscription: { text: 'string' },
    outputTranscription: { text: 'string' },
    interrupted: 'boolean',
    generationComplete: 'boolean',
    turnComplete: 'boolean',
    turnCompleteReason: 'string',
  },
  toolCall: { functionCalls: [{ id: 'id', name: 'id', args: 'json' }] },
  toolCallCancellation: { ids: ['id'] },
  usageMetadata: {
    promptTokenCount: 'count',
    toolUsePromptTokenCount: 'count',
    cachedContentTokenCount: 'count',
    responseTokenCount: 'count',
    thoughtsTokenCount: 'count',
  },
  goAway: { timeLeft: 'string' },
  sessionResumptionUpdate: { newHandle: 'string', resumable: 'boolean' },
  voiceActivity: { voiceActivityType: 'string' },
})
