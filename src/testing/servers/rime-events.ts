/** The server's messages. */
export type RimeEvent =
  | { ready: { protocol: number; languages: string[]; defaultLanguage?: string } }
  | { contextId: string; started: { requestId: string } }
  /** Samples in base64. */
  | { contextId: string; audio: string }
  | { contextId: string; done: { timestamps?: RimeTimestamps } }
  | { contextId: string; cancelled: object }
  /** Ends the context that it names. Without one, it concerns the connection. */
  | { contextId?: string; error: { kind: string; message: string; requestId?: string } }

export interface RimeTimestamps {
  /** `code` is a code of gRPC; other than 0, there are no spans. */
  status: { code: number; message?: string }
  spans?: { text: string; start: string; end: string }[]
}

/** A message of the client. It has one field besides `contextId`. */
export interface RimeRequest {
  contextId?: string
  start?: RimeStart
  text?: string
  end?: object
  cancel?: object
}

export interface RimeStart {
  speaker?: string
  language?: string
  /** The whole text. Without it, the text follows in messages of its own. */
  text?: string
  audioParameters?: { audioFormat?: string; samplingRate?: number; timeScaleFactor?: number }
  timestamps?: { enable?: boolean }
}
