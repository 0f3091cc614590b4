import { checkOf } from '../vendor-message.ts'

/** A message of the service. It has one of these fields besides `contextId`; messages with none of them are ignored. */
export interface RimeMessage {
  /** Missing if the message concerns the connection. */
  readonly contextId?: string | undefined
  /** The first message of a connection. */
  readonly ready?: { readonly protocol?: number | undefined } | undefined
  /** Samples in base64. */
  readonly audio?: string | undefined
  /** All audio of the context has been sent. */
  readonly done?:
    | { readonly timestamps?: { readonly spans?: readonly Span[] | undefined } | undefined }
    | undefined
  /** The context was cancelled. */
  readonly cancelled?: object | undefined
  readonly error?: { readonly kind?: string | undefined; readonly message?: string | undefined } | undefined
}

/** A word as it was spoken: numbers are spelled out. Times are from the start of the context, such as `1.250s`. */
export interface Span {
  readonly text?: string | undefined
  readonly start?: string | undefined
  readonly end?: string | undefined
}

export const checkRime = checkOf<RimeMessage>({
  contextId: 'id',
  ready: { protocol: 'number' },
  audio: 'audio',
  done: { timestamps: { spans: [{ text: 'string', start: 'id', end: 'id' }] } },
  cancelled: 'json',
  error: { kind: 'id', message: 'string' },
})

/** The messages that are sent. */
export type RimeRequest =
  | { contextId: string; start: RimeStart }
  /** One sentence. */
  | { contextId: string; text: string }
  | { contextId: string; end: object }
  | { contextId: string; cancel: object }

/** The settings of a context. */
export interface RimeStart {
  speaker: string
  language?: string
  audioParameters: { audioFormat: 'audio/pcm' | 'audio/pcmu'; samplingRate: number }
  timestamps: { enable: true }
}
