import { bytesFromSamples } from '../../audio/index.ts'

/**
 * The frames of Pipecat's WebSocket transport, in protobuf. Only what is used here:
 *
 *   Frame          { oneof: AudioRawFrame audio = 2; MessageFrame message = 4 }
 *   AudioRawFrame  { bytes audio = 3; uint32 sample_rate = 4; uint32 num_channels = 5 }
 *   MessageFrame   { string data = 1 }
 */
export type Frame =
  | {
      readonly type: 'audio'
      /** PCM16, little-endian. */
      readonly bytes: Uint8Array
      readonly sampleRate: number
      readonly channels: number
    }
  | { readonly type: 'message'; readonly json: string }
  /** A kind of frame that is not used here. */
  | { readonly type: 'other' }

const AUDIO = 2
const MESSAGE = 4

/** The most fields that a message may have. A frame has six. */
const MAX_FIELDS = 32

/** Reads a frame. Undefined if it is not one. Never throws, whatever the bytes are. */
export function decodeFrame(bytes: Uint8Array): Frame | undefined {
  const content = fieldsOf(bytes)?.at(-1)
  if (!content || typeof content.value === 'number') return undefined
  if (content.field !== AUDIO && content.field !== MESSAGE) return { type: 'other' }
  const fields = fieldsOf(content.value)
  if (!fields) return undefined
  // Of a field that comes several times, the last one counts. One that is missing is 0 or empty.
  const last = (wanted: number): number | Uint8Array | undefined =>
    fields.findLast(({ field }) => field === wanted)?.value
  if (content.field === MESSAGE) {
    const data = last(1) ?? new Uint8Array(0)
    return typeof data === 'number' ? undefined : { type: 'message', json: Buffer.from(data).toString() }
  }
  const [sound = new Uint8Array(0), sampleRate = 0, channels = 0] = [last(3), last(4), last(5)]
  if (typeof sound === 'number' || typeof sampleRate !== 'number' || typeof channels !== 'number')
    return undefined
  return { type: 'audio', bytes: sound, sampleRate, channels }
}

export function encodeSound(samples: Int16Array, sampleRate: number): Uint8Array<ArrayBuffer> {
  const sound = bytesFromSamples(samples)
  return encode(AUDIO, [0x1a, ...varint(sound.length)], sound, [0x20, ...varint(sampleRate), 0x28, 1])
}

export function encodeMessage(json: string): Uint8Array<ArrayBuffer> {
  const data = Buffer.from(json)
  return encode(MESSAGE, [0x0a, ...varint(data.length)], data, [])
}

function encode(
  field: number,
  before: readonly number[],
  content: Uint8Array,
  after: readonly number[],
): Uint8Array<ArrayBuffer> {
  const head = [(field << 3) | 2, ...varint(before.length + content.length + after.length), ...before]
  const bytes = new Uint8Array(head.length + content.length + after.length)
  bytes.set(head)
  bytes.set(content, head.length)
  bytes.set(after, head.length + content.length)
  return bytes
}

function varint(value: number): number[] {
  const bytes: number[] = []
  for (let left = value; ; left >>>= 7) {
    if (left < 0x80) return [...bytes, left]
    bytes.push((left & 0x7f) | 0x80)
  }
}

interface Field {
  readonly field: number
  readonly value: number | Uint8Array
}

/** Splits a message into its fields. Undefined if it is malformed. */
function fieldsOf(bytes: Uint8Array): Field[] | undefined {
  const fields: Field[] = []
  let at = 0
  /** NaN if it is cut off or too long. Beyond 53 bits it is not exact, and not used. */
  const next = (): number => {
    let value = 0
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = bytes[at++]
      if (byte === undefined) return NaN
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    return NaN
  }
  while (at < bytes.length) {
    const tag = next()
    const [field, wire] = [Math.floor(tag / 8), tag % 8]
    const value = wire === 0 ? next() : 0
    const length = wire === 2 ? next() : wire === 1 ? 8 : wire === 5 ? 4 : 0
    // Not `>`: comparisons with NaN are false.
    if (!(field > 0 && value >= 0 && at + length <= bytes.length) || wire === 3 || wire === 4 || wire > 5)
      return undefined
    fields.push({ field, value: wire === 0 ? value : bytes.subarray(at, at + length) })
    at += length
    if (fields.length > MAX_FIELDS) return undefined
  }
  return fields
}
