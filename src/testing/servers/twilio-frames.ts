/** Whose frames are spoken on the media stream. They carry the same, under other names. */
export type CarrierDialect = 'twilio' | 'telnyx'

/** How a stream is called, and what the application has attached to it. */
export interface StreamNames {
  readonly account: string
  readonly call: string
  readonly stream: string
  readonly from: string
  readonly to: string
  readonly parameters: Readonly<Record<string, string>>
}

/** What a carrier tells on a stream. */
export type CarrierNews =
  | { readonly event: 'connected' }
  | { readonly event: 'start' }
  | { readonly event: 'stop' }
  | { readonly event: 'media'; readonly chunk: number; readonly at: number; readonly payload: string }
  | { readonly event: 'dtmf'; readonly digit: string }
  | { readonly event: 'mark'; readonly name: string }

/** What an application tells a carrier. */
export type ApplicationNews =
  | { readonly event: 'media'; readonly payload: Uint8Array }
  | { readonly event: 'mark'; readonly name: string }
  | { readonly event: 'clear' }

/** Writes the frames of one stream and counts them: all but the first have a number, as text, from 1. */
export class FrameWriter {
  readonly #dialect: CarrierDialect
  readonly #names: StreamNames
  #sequence = 0

  constructor(dialect: CarrierDialect, names: StreamNames) {
    this.#dialect = dialect
    this.#names = names
  }

  write(news: CarrierNews): string {
    const number = String(news.event === 'connected' ? 0 : ++this.#sequence)
    const write = this.#dialect === 'twilio' ? twilioFrame : telnyxFrame
    return JSON.stringify(write(news, number, this.#names))
  }
}

function twilioFrame(news: CarrierNews, sequenceNumber: string, names: StreamNames): object {
  const { event } = news
  const { account: accountSid, call: callSid, stream: streamSid, parameters: customParameters } = names
  if (news.event === 'connected') return { event, protocol: 'Call', version: '1.0.0' }
  const numbered = { event, sequenceNumber, streamSid }
  if (news.event === 'stop') return { ...numbered, stop: { accountSid, callSid } }
  if (news.event !== 'start') return { ...numbered, [news.event]: detailsOf(news) }
  const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 }
  const start = { accountSid, streamSid, callSid, tracks: ['inbound'], mediaFormat, customParameters }
  return { ...numbered, start }
}

function telnyxFrame(news: CarrierNews, sequence_number: string, names: StreamNames): object {
  const { event } = news
  const { account: user_id, call: call_control_id, stream: stream_id, from, to } = names
  if (news.event === 'connected') return { event, version: '1.0.0' }
  const numbered = { event, sequence_number, stream_id }
  if (news.event === 'stop') return { ...numbered, stop: { user_id, call_control_id } }
  if (news.event !== 'start') return { ...numbered, [news.event]: detailsOf(news) }
  const media_format = { encoding: 'PCMU', sample_rate: 8000, channels: 1 }
  const named = { user_id, call_control_id, call_session_id: `session-of-${call_control_id}`, from, to }
  return { ...numbered, start: { ...named, custom_parameters: names.parameters, media_format } }
}

function detailsOf(news: Extract<CarrierNews, { event: 'media' | 'dtmf' | 'mark' }>): object {
  if (news.event === 'mark') return { name: news.name }
  if (news.event === 'dtmf') return { track: 'inbound_track', digit: news.digit }
  const { chunk, at, payload } = news
  return { track: 'inbound', chunk: String(chunk), timestamp: String(at), payload }
}

/** Reads what an application sends; a text that says why, if the carrier would not understand it. */
export function readFrame(
  data: string | Uint8Array,
  dialect: CarrierDialect,
  stream: string,
): ApplicationNews | string {
  if (typeof data !== 'string') return 'a binary message'
  const frame = objectIn(data)
  if (!frame) return 'no JSON object'
  if (dialect === 'twilio' && frame['streamSid'] !== stream) return 'a frame for another stream'
  const { event } = frame
  if (event === 'clear') return { event }
  const payload = field(frame['media'], 'payload')
  if (event === 'media' && typeof payload === 'string')
    return { event, payload: Buffer.from(payload, 'base64') }
  const name = field(frame['mark'], 'name')
  if (event === 'mark' && typeof name === 'string') return { event, name }
  return `an event that is unknown or not complete: ${String(event)}`
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
