import { AudioError } from './errors.ts'

/** The length of every header: a recorder writes it first, and overwrites it at the end. */
export const wavHeaderLength = 44

/** A size that is not known yet. Players read such a file to its end, so a crash of the recorder loses nothing. */
const UNKNOWN = 0xffffffff
const LONGEST = UNKNOWN - wavHeaderLength

const PCM = 1
const EXTENSIBLE = 0xfffe

export interface WavHeader {
  readonly channels: 1 | 2
  /** Any rate: a file may have one that endwell does not support, such as 44100. */
  readonly sampleRate: number
  /** Bytes of sound that follow. Unset while still recording. */
  readonly dataLength?: number
}

/** The contents of a WAV file: one array of samples per channel, all of the same length. */
export interface WavSound {
  readonly channels: readonly Int16Array[]
  readonly sampleRate: number
}

/**
 * The header of a PCM16 WAV file.
 *
 * @example
 * await file.write(wavHeader({ channels: 2, sampleRate: 16000 }), 0, 44, 0)
 * // … write sound, count its bytes …
 * await file.write(wavHeader({ channels: 2, sampleRate: 16000, dataLength }), 0, 44, 0)
 */
export function wavHeader({ channels, sampleRate, dataLength }: WavHeader): Uint8Array<ArrayBuffer> {
  if (dataLength !== undefined && !(dataLength >= 0 && dataLength <= LONGEST)) {
    throw new AudioError(
      'WAV_TOO_LONG',
      `a WAV file cannot hold ${dataLength} bytes of sound, only ${LONGEST}: split the recording`,
    )
  }
  const header = new Uint8Array(wavHeaderLength)
  const view = new DataView(header.buffer)
  writeTag(header, 0, 'RIFF')
  view.setUint32(4, dataLength === undefined ? UNKNOWN : dataLength + wavHeaderLength - 8, true)
  writeTag(header, 8, 'WAVE')
  writeTag(header, 12, 'fmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, PCM, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * channels * 2, true)
  view.setUint16(32, channels * 2, true)
  view.setUint16(34, 16, true)
  writeTag(header, 36, 'data')
  view.setUint32(40, dataLength ?? UNKNOWN, true)
  return header
}

/** Encodes a WAV file with one or two channels. Pads the shorter channel with silence. */
export function encodeWav(channels: readonly Int16Array[], sampleRate: number): Uint8Array<ArrayBuffer> {
  const count = channels.length
  if (count !== 1 && count !== 2) {
    throw new AudioError('WAV_UNSUPPORTED', `a WAV file must have one or two channels, not ${count}`)
  }
  const length = Math.max(...channels.map((channel) => channel.length))
  const dataLength = length * count * 2
  const header = wavHeader({ channels: count, sampleRate, dataLength })
  const file = new Uint8Array(wavHeaderLength + dataLength)
  file.set(header)
  const view = new DataView(file.buffer, wavHeaderLength)
  channels.forEach((channel, c) => {
    for (let i = 0; i < channel.length; i++) view.setInt16((i * count + c) * 2, channel[i]!, true)
  })
  return file
}

/**
 * Reads a PCM16 WAV file with one or two channels. Trusts the contents of the file more than its header: a
 * recording that was cut off, or whose sizes were never written, is read as far as it goes.
 */
export function decodeWav(file: Uint8Array): WavSound {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  if (tagAt(file, 0) !== 'RIFF' || tagAt(file, 8) !== 'WAVE') {
    throw malformed('it does not start with RIFF and WAVE')
  }

  let format: Format | undefined
  for (let at = 12; at + 8 <= file.length;) {
    const body = at + 8
    const size = view.getUint32(at + 4, true)
    const tag = tagAt(file, at)
    if (tag === 'fmt ') format = readFormat(view, body, size)
    if (tag === 'data') {
      if (!format) throw malformed('its sound comes before its format')
      const end = body + actualLength(view, body, size)
      return { channels: readChannels(view, body, end, format.channels), sampleRate: format.sampleRate }
    }
    at = body + size + (size % 2)
  }
  throw malformed('it has no data chunk')
}

interface Format {
  readonly channels: number
  readonly sampleRate: number
}

function readFormat(view: DataView, at: number, length: number): Format {
  if (length < 16 || at + length > view.byteLength) throw malformed('its format chunk is cut off')
  const tag = view.getUint16(at, true)
  const channels = view.getUint16(at + 2, true)
  const sampleRate = view.getUint32(at + 4, true)
  const bits = view.getUint16(at + 14, true)

  const encoding = tag === EXTENSIBLE && length >= 26 ? view.getUint16(at + 24, true) : tag
  if (encoding !== PCM || bits !== 16 || channels < 1 || channels > 2) {
    throw new AudioError(
      'WAV_UNSUPPORTED',
      `cannot read a WAV file of encoding ${encoding}, ${bits} bits and ${channels} channels, ` +
        `only of PCM (1), 16 bits and 1 or 2: convert it with \`sox in.wav -e signed -b 16 -c 1 out.wav\``,
    )
  }
  if (sampleRate === 0) throw malformed('its sample rate is 0')
  return { channels, sampleRate }
}

/** The length of the sound in the file. A size of 0 with data behind it comes from a recorder that crashed. */
function actualLength(view: DataView, body: number, size: number): number {
  const left = view.byteLength - body
  const riffEnd = 8 + view.getUint32(4, true)
  const neverWritten = size === 0 && riffEnd <= body
  return neverWritten ? left : Math.min(size, left)
}

function readChannels(view: DataView, body: number, end: number, count: number): Int16Array[] {
  const length = Math.floor((end - body) / (count * 2))
  return Array.from({ length: count }, (_, c) => {
    const channel = new Int16Array(length)
    for (let i = 0; i < length; i++) channel[i] = view.getInt16(body + (i * count + c) * 2, true)
    return channel
  })
}

function tagAt(file: Uint8Array, at: number): string {
  return String.fromCharCode(...file.subarray(at, at + 4))
}

function writeTag(file: Uint8Array, at: number, tag: string): void {
  for (let i = 0; i < tag.length; i++) file[at + i] = tag.charCodeAt(i)
}

function malformed(why: string): AudioError {
  return new AudioError('WAV_MALFORMED', `this WAV file cannot be read: ${why}`)
}
