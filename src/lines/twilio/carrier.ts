import type { IncomingHttpHeaders } from 'node:http'
import type { AnswerVerdict, RecordingChange, TransferOutcome } from '../../parts/index.ts'
import type { DialOutcome } from './dial-machine.ts'

/** A message of a stream, the same for all carriers. */
export type StreamMessage =
  | {
      readonly type: 'start'
      readonly call: string
      readonly stream: string
      readonly account: string | undefined
      /** Whether the sound has the format of this line: mu-law at 8 kHz, one channel. */
      readonly understood: boolean
      readonly parameters: Readonly<Record<string, string>>
    }
  /** `number`: its place among the sounds of the stream, if the carrier says so. */
  | { readonly type: 'sound'; readonly bytes: Uint8Array; readonly number: number | undefined }
  | { readonly type: 'mark'; readonly name: string }
  | { readonly type: 'dtmf'; readonly digit: string }
  | { readonly type: 'stop' }
  /** Anything else: carriers add messages. */
  | { readonly type: 'other' }

/** Writes the messages of one stream to its carrier. */
export interface StreamWriter {
  readonly sound: (bytes: Uint8Array) => string
  readonly mark: (name: string) => string
  readonly clear: () => string
}

/** A request whose signature is to be checked. */
export interface SignedRequest {
  readonly headers: IncomingHttpHeaders
  /** The public address that the carrier requested. */
  readonly url: string
  /** The parameters of a form. */
  readonly form: URLSearchParams
  /** The body, byte for byte. */
  readonly body: string
  /** Wall-clock time, in milliseconds since 1970. */
  readonly date: number
}

export interface StreamPlace {
  readonly url: string
  /** Where the carrier asks how to go on after the stream. Unset: the call ends with its stream. */
  readonly after: string | undefined
  readonly parameters: Readonly<Record<string, string>>
}

/** A request to the carrier's REST API. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** A call out. */
export interface NewCall {
  readonly to: string
  readonly from: string
  readonly account: string | undefined
  /** How long it may ring, in milliseconds. */
  readonly ringTimeout: number
  /** Whether the carrier finds out who has answered: before it connects the call, or beside the call. */
  readonly detection: 'before' | 'beside' | undefined
  /** Where the carrier asks what to do when somebody has answered. */
  readonly url: string
  /** Where it reports how the call is. */
  readonly status: string
  /** Where it reports who has answered, if it finds out beside the call. */
  readonly verdict: string
}

export interface RecordingRequest {
  readonly change: RecordingChange
  /** The carrier's name for the recording, once it is known. */
  readonly id: string | undefined
  /** Where the carrier reports that the recording is there. */
  readonly callback: string
}

/** What differs between carriers. */
export interface Carrier {
  readonly name: string
  /** Reads a message of a stream. Undefined if it makes no sense. */
  readonly read: (json: string) => StreamMessage | undefined
  readonly writer: (stream: string) => StreamWriter
  /** The document that connects a call to a stream. */
  readonly connect: (place: StreamPlace) => string
  /** Whether the carrier signed the webhook. */
  readonly signed: (request: SignedRequest) => boolean
  /** Whether its signature covers the address, and with it the query. If not, only the fields of the body count. */
  readonly signsQuery: boolean
  /** Whether the carrier signs the upgrade to a WebSocket too. */
  readonly signsStreams: boolean
  /** What identifies a webhook, for a carrier that does not sign streams: a replay has the same. */
  readonly webhookId: (headers: IncomingHttpHeaders) => string | undefined
  /** Whether sound arrives in order. If not, it is put in order by its numbers. */
  readonly keepsOrder: boolean
  /** The request that ends a call. */
  readonly hangUp: (call: string, account: string | undefined) => ApiRequest | undefined
  /** Whether the answer to that request says that the call has ended, now or before. */
  readonly hasEnded: (status: number, body: string) => boolean
  /** What calls out need, for an error message. */
  readonly creates: string
  readonly canCreate: (account: string | undefined) => boolean
  /** The request that calls somebody. */
  readonly create: (call: NewCall) => ApiRequest | undefined
  /** The name of the call, in the answer to that request. */
  readonly createdIn: (body: string) => string | undefined
  /** What is wrong, in an answer that refuses a request. */
  readonly problemIn: (body: string) => string
  /** The request that gives a call another document. */
  readonly redirect: (call: string, account: string | undefined, document: string) => ApiRequest | undefined
  /** The request that starts a recording of a call, or changes it. */
  readonly record: (
    call: string,
    account: string | undefined,
    recording: RecordingRequest,
  ) => ApiRequest | undefined
  /**
   * The request that presses keys beside the stream. A request with the same `command` is carried out once. A carrier without it
   * presses keys by a document, which takes the stream away.
   */
  readonly press?: (call: string, keys: string, command: string) => ApiRequest | undefined
  /** The request that asks how a call is. */
  readonly look: (call: string, account: string | undefined) => ApiRequest | undefined
}

/** Values of a call's status that mean it has ended. */
export const endedStatuses: ReadonlySet<string> = new Set([
  'completed',
  'canceled',
  'cancelled',
  'busy',
  'failed',
  'no-answer',
])

/** How a call out has ended, by a report of the carrier. Undefined if it has not. */
export function dialOutcomeOf(fields: URLSearchParams): DialOutcome | undefined {
  const status = fields.get('CallStatus') ?? ''
  if (!endedStatuses.has(status)) return undefined
  const declined = fields.get('SipResponseCode') === '603' || fields.get('HangupCause') === 'call_rejected'
  if (declined) return 'rejected'
  // Somebody or something answered, although we were never asked what to do.
  if (status === 'completed') return 'answered'
  if (status === 'busy' || status === 'no-answer') return status
  // Ended by somebody else while it rang.
  return status === 'failed' ? 'failed' : 'no-answer'
}

/** Who answered, in the words of both carriers. Undefined if these say nothing. */
export function verdictOf(fields: URLSearchParams): AnswerVerdict | undefined {
  switch (fields.get('AnsweredBy') ?? '') {
    case 'human':
      return { by: 'person' }
    case 'machine_start':
      return { by: 'machine' }
    case 'machine_end_beep':
      return { by: 'machine', ended: 'beep' }
    case 'machine_end_silence':
    case 'machine_end_other':
      return { by: 'machine', ended: 'silence' }
    case 'fax':
      return { by: 'fax' }
    default:
      return undefined
  }
}

/** How a person who was rung has answered, in the words of a document that has ended. */
export function transferOutcomeOf(status: string): TransferOutcome {
  if (status === 'completed' || status === 'answered') return 'answered'
  return status === 'busy' || status === 'no-answer' ? status : 'failed'
}

/** The statuses that change a recording. */
const recordingStatuses = { pause: 'paused', resume: 'in-progress', stop: 'stopped' } as const

/**
 * The request that starts or changes a recording, at both carriers. `recordings` is the address of all recordings of the call, `id`
 * that of the recording.
 */
export function recordRequest(
  { headers }: ApiRequest,
  recordings: string,
  { change, callback }: RecordingRequest,
  id: string | undefined,
): ApiRequest | undefined {
  if (change !== 'start' && id === undefined) return undefined
  const path = change === 'start' ? recordings : `${recordings}/${encodeURIComponent(id!)}`
  const fields =
    change === 'start'
      ? {
          RecordingChannels: 'dual',
          RecordingStatusCallback: callback,
          RecordingStatusCallbackMethod: 'POST',
          RecordingStatusCallbackEvent: 'completed absent',
        }
      : // What is left out stays in time as silence.
        { Status: recordingStatuses[change], ...(change === 'pause' ? { PauseBehavior: 'silence' } : {}) }
  return {
    method: 'POST',
    url: `${path}.json`,
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  }
}

/** The answer to a status callback: there is nothing to do. */
export const emptyDocument = document('')

/** Refuses a call that was not taken yet: the caller hears the busy signal. */
export const busyDocument = document('<Reject reason="busy"/>')

/** Has the carrier ask again in a second, and perhaps reach another host: the caller hears one more ring. */
export const askAgainDocument = (url: string): string =>
  document(`<Pause length="1"/><Redirect method="POST">${attribute(url)}</Redirect>`)

export interface DialPlace {
  readonly to: string
  /** The number to show. */
  readonly from: string | undefined
  /** How long it may ring, in milliseconds. */
  readonly ringTimeout: number
  /** Where the carrier reports the end of the conversation, and asks how to go on. */
  readonly after: string
  /** Where the carrier reports that the person has answered, or has rejected the call. */
  readonly progress: string
}

/** Connects a call to another phone. */
export function dialDocument({ to, from, ringTimeout, after, progress }: DialPlace): string {
  const seconds = Math.max(1, Math.round(ringTimeout / 1_000))
  const shown = from === undefined ? '' : ` callerId="${attribute(from)}"`
  const noun = to.startsWith('sip') ? 'Sip' : 'Number'
  const reports = `statusCallback="${attribute(progress)}" statusCallbackEvent="answered completed" statusCallbackMethod="POST"`
  return document(
    `<Dial action="${attribute(after)}" method="POST" timeout="${seconds}" answerOnBridge="true"${shown}>` +
      `<${noun} ${reports}>${attribute(to)}</${noun}></Dial>`,
  )
}

/** Has a call join a conference. When it leaves, or the conference ends, the call ends. Each who leaves ends the conference. */
export function conferenceDocument({ name, status }: { name: string; status: string }): string {
  const reports = `statusCallback="${attribute(status)}" statusCallbackEvent="join" statusCallbackMethod="POST"`
  return document(
    `<Dial><Conference startConferenceOnEnter="true" endConferenceOnExit="true" beep="false" ${reports}>` +
      `${attribute(name)}</Conference></Dial>`,
  )
}

/** Has the carrier ask for another document. */
export const redirectDocument = (url: string): string =>
  document(`<Redirect method="POST">${attribute(url)}</Redirect>`)

/** Presses keys, and then asks for another document. Half a second is the only pause that all carriers know. */
export const keysDocument = (keys: string, url: string): string =>
  document(
    `<Play digits="${attribute(keys.replaceAll('W', 'ww'))}"/><Redirect method="POST">${attribute(url)}</Redirect>`,
  )

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

/** Escapes a text for an attribute. Leaves out characters that XML cannot hold. */
export function attribute(text: string): string {
  return text.replace(/\p{C}/gu, '').replace(/[&<>"']/g, (each) => entities[each]!)
}

/** The document that connects a call to a stream element. */
export function connectDocument(stream: string, after: string | undefined): string {
  const action = after === undefined ? '' : ` action="${attribute(after)}"`
  return document(`<Connect${action}>${stream}</Connect>`)
}

/** The elements that pass parameters to a stream. */
export function parameterElements(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `<Parameter name="${attribute(name)}" value="${attribute(value)}"/>`)
    .join('')
}
