/** The server's messages. */
export type InworldEvent =
  | { result: { contextId?: string; status: InworldStatus } & InworldPayload }
  /** The connection is closed after it. */
  | { error: InworldStatus }

/** `code` is a code of gRPC: 0 is no error. */
export interface InworldStatus {
  code: number
  message: string
  details: unknown[]
}

export interface InworldPayload {
  contextCreated?: InworldCreate
  audioChunk?: InworldChunk
  flushCompleted?: object
  contextClosed?: object
}

export interface InworldChunk {
  /** In base64. */
  audioContent: string
  usage: { processedCharactersCount: number; modelId: string }
  timestampInfo?: {
    wordAlignment: { words: string[]; wordStartTimeSeconds: number[]; wordEndTimeSeconds: number[] }
  }
}

/** A message of the client. It has one field besides `contextId`. */
export interface InworldRequest {
  contextId?: string
  create?: InworldCreate
  send_text?: { text: string; flush_context?: object }
  flush_context?: object
  close_context?: object
}

export interface InworldCreate {
  voiceId?: string
  modelId?: string
  audioConfig?: { audioEncoding?: string; sampleRateHertz?: number; speakingRate?: number }
  timestampType?: string
  timestampTransportStrategy?: string
  autoMode?: boolean
  bufferCharThreshold?: number
}
