import type { IncomingHttpHeaders } from 'node:http'

/** What a stream says, whoever the carrier is. */
export type StreamMessage =
  | {
      readonly type: 'start'
      readonly call: string
      readonly stream: string
      readonly account: string | undefined
      /** Mu-law at 8 kHz, one channel: what this line speaks. */
      readonly understood: boolean
      readonly parameters: Readonly<Record<string, string>>
    }
  | { readonly type: 'sound'; readonly bytes: Uint8Array }
  | { readonly type: 'mark'; readonly name: string }
  | { readonly type: 'dtmf'; readonly digit: string }
  | { readonly type: 'stop' }
  /** Something else: carriers learn new words. */
  | { readonly type: 'other' }

/** What is said on a stream to the carrier. */
export interface StreamWords {
  sound(bytes: Uint8Array): string
  mark(name: string): string
  clear(): string
}

/** A request to us that has to be shown to come from the carrier. */
export interface SignedRequest {
  readonly headers: IncomingHttpHeaders
  /** The address that the carrier asked for, as it is spelled in public. */
  readonly url: string
  /** The parameters of a form. */
  readonly form: URLSearchParams
  /** The body, byte for byte. */
  readonly body: string
  /** The time of people, in milliseconds since 1970. */
  readonly date: number
}

export interface StreamPlace {
  readonly url: string
  /** Where the carrier asks what to do when the stream is over, or cut. Without it the call is over, too. */
  readonly after: string | undefined
  readonly parameters: Readonly<Record<string, string>>
}

export interface HangUpRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What differs between carriers. */
export interface Carrier {
  readonly name: string
  /** Reads a message of a stream; undefined if it makes no sense. */
  readonly read: (json: string) => StreamMessage | undefined
  readonly words: (stream: string) => StreamWords
  /** The document that connects a call to a stream. */
  readonly connect: (place: StreamPlace) => string
  /** Whether the carrier has signed the webhook. */
  readonly signed: (request: SignedRequest) => boolean
  /** Whether it signs the upgrade to a WebSocket, too. If not, the address of the stream has a ticket in it. */
  readonly signsStreams: boolean
  /** The request that ends a call. */
  readonly hangUp: (call: string, account: string | undefined) => HangUpRequest | undefined
  /** Whether the answer to it says that the call is over: it is, too, if it was before. */
  readonly isOver: (status: number, body: string) => boolean
}

/** The call is over, by the word of a status. */
export const endedStatuses: ReadonlySet<string> = new Set([
  'completed',
  'canceled',
  'cancelled',
  'busy',
  'failed',
  'no-answer',
])

/** Refuses a call that has not been taken yet: the caller hears that it is busy. */
export const busyDocument = document('<Reject reason="busy"/>')

/** Ends a call. */
export const hangUpDocument = document('<Hangup/>')

export function document(verbs: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${verbs}</Response>`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** A text as the value of an attribute. What XML cannot hold at all is left out. */
export function attribute(text: string): string {
  return text.replace(/\p{C}/gu, '').replace(/[&<>"']/g, (each) => entities[each]!)
}

/** The verb that leads to a stream. */
export function connectDocument(stream: string, after: string | undefined): string {
  const action = after === undefined ? '' : ` action="${attribute(after)}"`
  return document(`<Connect${action}>${stream}</Connect>`)
}

/** The parameters as elements of a stream. */
export function parameterElements(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `<Parameter name="${attribute(name)}" value="${attribute(value)}"/>`)
    .join('')
}
