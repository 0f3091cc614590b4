/** Whose format the media stream uses. Both carry the same data under different names. */
export type CarrierDialect = 'twilio' | 'telnyx'

/** The ids of a stream and the parameters that the application attached to it. */
export interface StreamNames {
  readonly account: string
  readonly call: string
  readonly stream: string
  readonly from: string
  readonly to: string
  readonly parameters: Readonly<Record<string, string>>
}

/** A message from the carrier on a stream. */
export type CarrierMessage =
  | { readonly event: 'connected' }
  | { readonly event: 'start' }
  | { readonly event: 'stop' }
  | { readonly event: 'media'; readonly chunk: number; readonly at: number; readonly payload: string }
  | { readonly event: 'dtmf'; readonly digit: string }
  | { readonly event: 'mark'; readonly name: string }

/** A message from the application on a stream. */
export type ApplicationMessage =
  | { readonly event: 'media'; readonly payload: Uint8Array }
  | { readonly event: 'mark'; readonly name: string }
  | { readonly event: 'clear' }

/** Writes the frames of one stream. All but the first have a sequence number, as a string from '1'. */
export class FrameWriter {
  readonly #dialect: CarrierDialect
  readonly #names: StreamNames
  #sequence = 0

  constructor(dialect: CarrierDialect, names: StreamNames) {
    this.#dialect = dialect
    this.#names = names
  }

  write(message: CarrierMessage): string {
    const number = String(message.event === 'connected' ? 0 : ++this.#sequence)
    const write = this.#dialect === 'twilio' ? twilioFrame : telnyxFrame
    return JSON.stringify(write(message, number, this.#names))
  }
}

function twilioFrame(message: CarrierMessage, sequenceNumber: string, names: StreamNames): object {
  const { event } = message
  const { account: accountSid, call: callSid, stream: streamSid, parameters: customParameters } = names
  if (message.event === 'connected') return { event, protocol: 'Call', version: '1.0.0' }
  const numbered = { event, sequenceNumber, streamSid }
  if (message.event === 'stop') return { ...numbered, stop: { accountSid, callSid } }
  if (message.event !== 'start') return { ...numbered, [message.event]: detailsOf(message) }
  const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 }
  const start = { accountSid, streamSid, callSid, tracks: ['inbound'], mediaFormat, customParameters }
  return { ...numbered, start }
}

function telnyxFrame(message: CarrierMessage, sequence_number: string, names: StreamNames): object {
  const { event } = message
  const { account: user_id, call: call_control_id, stream: stream_id, from, to } = names
  if (message.event === 'connected') return { event, version: '1.0.0' }
  const numbered = { event, sequence_number, stream_id }
  if (message.event === 'stop') return { ...numbered, stop: { user_id, call_control_id } }
  if (message.event !== 'start') return { ...numbered, [message.event]: detailsOf(message) }
  const media_format = { encoding: 'PCMU', sample_rate: 8000, channels: 1 }
  const ids = { user_id, call_control_id, call_session_id: `session-of-${call_control_id}`, from, to }
  return { ...numbered, start: { ...ids, custom_parameters: names.parameters, media_format } }
}

function detailsOf(message: Extract<CarrierMessage, { event: 'media' | 'dtmf' | 'mark' }>): object {
  if (message.event === 'mark') return { name: message.name }
  if (message.event === 'dtmf') return { track: 'inbound_track', digit: message.digit }
  const { chunk, at, payload } = message
  return { track: 'inbound', chunk: String(chunk), timestamp: String(at), payload }
}

/** Parses a message from the application. Returns the reason as a string if the carrier would not understand it. */
export function readFrame(
  data: string | Uint8Array,
  dialect: CarrierDialect,
  stream: string,
): ApplicationMessage | string {
  if (typeof data !== 'string') return 'the message is binary'
  const frame = parseObject(data)
  if (!frame) return 'the message is not a JSON object'
  if (dialect === 'twilio' && frame['streamSid'] !== stream) return 'the message is for another stream'
  const { event } = frame
  if (event === 'clear') return { event }
  const payload = field(frame['media'], 'payload')
  if (event === 'media' && typeof payload === 'string')
    return { event, payload: Buffer.from(payload, 'base64') }
  const name = field(frame['mark'], 'name')
  if (event === 'mark' && typeof name === 'string') return { event, name }
  return `the event is unknown or incomplete: ${String(event)}`
}

function parseObject(text: string): Record<string, unknown> | undefined {
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
