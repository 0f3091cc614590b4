import { checkOf } from '../vendor-message.ts'

/** A message of the service: about a context or, with `error`, about the connection. */
export interface InworldMessage {
  readonly result?: InworldResult | undefined
  /** The service closes the connection after it. */
  readonly error?: InworldStatus | undefined
}

export interface InworldResult {
  readonly contextId?: string | undefined
  readonly status?: InworldStatus | undefined
  readonly audioChunk?: AudioChunk | undefined
  /** A part of the text has been spoken. */
  readonly flushCompleted?: object | undefined
  readonly contextClosed?: object | undefined
}

/** `code` is a code of gRPC: 0 is no error. */
export interface InworldStatus {
  readonly code?: number | undefined
  readonly message?: string | undefined
}

export interface AudioChunk {
  /** Samples in base64. */
  readonly audioContent?: string | undefined
  readonly timestampInfo?: { readonly wordAlignment?: WordAlignment | undefined } | undefined
}

/** Times count from the start of the part of the text that is being spoken. */
export interface WordAlignment {
  readonly words?: readonly string[] | undefined
  readonly wordStartTimeSeconds?: readonly number[] | undefined
  readonly wordEndTimeSeconds?: readonly number[] | undefined
}

const status = { code: 'number', message: 'string' } as const

export const checkInworld = checkOf<InworldMessage>({
  result: {
    contextId: 'id',
    status,
    audioChunk: {
      audioContent: 'audio',
      timestampInfo: {
        wordAlignment: {
          words: ['string'],
          wordStartTimeSeconds: ['seconds'],
          wordEndTimeSeconds: ['seconds'],
        },
      },
    },
    flushCompleted: 'json',
    contextClosed: 'json',
  },
  error: status,
})

/** The messages that are sent. */
export type InworldRequest = { contextId: string } & (
  | { create: InworldCreate }
  /** At most 1,000 characters. */
  | { send_text: { text: string } }
  /** Speaks what is buffered. */
  | { flush_context: object }
  | { close_context: object }
)

/** The settings of a context. */
export interface InworldCreate {
  voiceId: string
  modelId: string
  audioConfig: {
    audioEncoding: 'PCM' | 'MULAW' | 'ALAW'
    sampleRateHertz: number
    speakingRate: number | undefined
  }
  language: string | undefined
  deliveryMode: 'STABLE' | 'BALANCED' | 'CREATIVE' | undefined
  temperature: number | undefined
  applyTextNormalization: 'ON' | 'OFF' | undefined
  timestampType: 'WORD'
  /** The audio does not wait for its times. */
  timestampTransportStrategy: 'ASYNC'
  /** Each text is spoken at once. */
  autoMode: true
}
