import type { AudioFormat } from './format.ts'
import type { AudioFrame, EncodedSound, SampleRate } from './frame.ts'
import { SampleReader, sharedBytes, sharedSamples } from './pcm.ts'

/**
 * G.711, the two companding laws of the telephone network, bit for bit like the ITU's reference software
 * (G.191): a sample gets the code of the interval between two decision values that it falls into, and a
 * sample exactly on a decision value belongs to the interval above it.
 */

/** How many low bits of a sample each law ignores. */
const MU_IGNORED = 2
const A_IGNORED = 4

/** Computed when they are first needed: browser calls have no G.711. */
let muValues: Int16Array | undefined
let aValues: Int16Array | undefined
let muCodes: Uint8Array | undefined
let aCodes: Uint8Array | undefined

/** Encodes samples as mu-law, used by telephones in North America and Japan, and by Twilio. */
export function encodeMuLaw(samples: Int16Array): Uint8Array<ArrayBuffer> {
  return encode(samples, (muCodes ??= codeTable(MU_IGNORED, compressMu)), MU_IGNORED)
}

/** Decodes mu-law. */
export function decodeMuLaw(bytes: Uint8Array): Int16Array<ArrayBuffer> {
  return decode(bytes, (muValues ??= valueTable(expandMu)))
}

/** Encodes samples as A-law, used by telephones in the rest of the world. */
export function encodeALaw(samples: Int16Array): Uint8Array<ArrayBuffer> {
  return encode(samples, (aCodes ??= codeTable(A_IGNORED, compressA)), A_IGNORED)
}

/** Decodes A-law. */
export function decodeALaw(bytes: Uint8Array): Int16Array<ArrayBuffer> {
  return decode(bytes, (aValues ??= valueTable(expandA)))
}

/** A frame that arrived as G.711. It is decoded when its samples are first read, and only then. */
export class EncodedFrame implements AudioFrame {
  readonly sampleRate: SampleRate
  readonly encoded: EncodedSound
  #samples: Int16Array | undefined

  constructor(encoded: EncodedSound, sampleRate: SampleRate) {
    this.encoded = encoded
    this.sampleRate = sampleRate
  }

  get samples(): Int16Array {
    const { encoding, bytes } = this.encoded
    return (this.#samples ??= encoding === 'mulaw' ? decodeMuLaw(bytes) : decodeALaw(bytes))
  }
}

/** Makes a frame from whole samples in a format, whose bytes must not change any more. For a stream that may be cut anywhere, use `FrameReader`. */
export function frameOf(bytes: Uint8Array, { encoding, sampleRate }: AudioFormat): AudioFrame {
  if (encoding === 'pcm') return { samples: sharedSamples(bytes), sampleRate }
  return new EncodedFrame({ encoding, bytes }, sampleRate)
}

/**
 * The bytes of a frame in a format of the same sample rate, as transports and vendors carry them. They may share memory
 * with the frame: nobody may change them.
 */
export function bytesOf(frame: AudioFrame, { encoding }: AudioFormat): Uint8Array {
  if (encoding === 'pcm') return sharedBytes(frame.samples)
  if (frame.encoded?.encoding === encoding) return frame.encoded.bytes
  return encoding === 'mulaw' ? encodeMuLaw(frame.samples) : encodeALaw(frame.samples)
}

/** Reads frames from a stream of bytes in a format. The stream may be cut in the middle of a sample. */
export class FrameReader {
  readonly #format: AudioFormat
  readonly #samples = new SampleReader()

  constructor(format: AudioFormat) {
    this.#format = format
  }

  /** Returns the sound that these bytes complete. */
  push(bytes: Uint8Array): AudioFrame {
    const { encoding, sampleRate } = this.#format
    if (encoding !== 'pcm') return frameOf(bytes, this.#format)
    return { samples: this.#samples.push(bytes), sampleRate }
  }
}

function encode(samples: Int16Array, codes: Uint8Array, ignored: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(samples.length)
  const zero = codes.length >> 1
  for (let i = 0; i < samples.length; i++) bytes[i] = codes[(samples[i]! >> ignored) + zero]!
  return bytes
}

function decode(bytes: Uint8Array, values: Int16Array): Int16Array<ArrayBuffer> {
  const samples = new Int16Array(bytes.length)
  for (let i = 0; i < bytes.length; i++) samples[i] = values[bytes[i]!]!
  return samples
}

function valueTable(expand: (code: number) => number): Int16Array {
  return Int16Array.from({ length: 256 }, (_, code) => expand(code))
}

function codeTable(ignored: number, compress: (sample: number) => number): Uint8Array {
  const length = 65536 >> ignored
  return Uint8Array.from({ length }, (_, i) => compress((i - (length >> 1)) << ignored))
}

/** A code is sign, segment (3 bits) and step (4 bits), all inverted. Adding 33 makes segments start at powers of 2. */
function compressMu(sample: number): number {
  const magnitude = Math.min(((sample < 0 ? ~sample : sample) >> MU_IGNORED) + 33, 0x1fff)
  const segment = 26 - Math.clz32(magnitude)
  const step = (magnitude >> (segment + 1)) & 0x0f
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | step) & 0xff
}

function expandMu(code: number): number {
  const segment = (~code >> 4) & 7
  const step = ~code & 0x0f
  const magnitude = ((step * 2 + 33) << segment) - 33
  return (code < 0x80 ? -magnitude : magnitude) << MU_IGNORED
}

/** A code is sign, segment and step, with every other bit inverted. The first two segments form one straight line. */
function compressA(sample: number): number {
  const magnitude = (sample < 0 ? ~sample : sample) >> A_IGNORED
  const segment = Math.max(0, 28 - Math.clz32(magnitude))
  const step = (magnitude >> Math.max(0, segment - 1)) & 0x0f
  return ((sample < 0 ? 0 : 0x80) | (segment << 4) | step) ^ 0x55
}

function expandA(code: number): number {
  const bits = code ^ 0x55
  const segment = (bits >> 4) & 7
  const step = (bits & 0x0f) * 2 + 1
  const magnitude = segment === 0 ? step : (step + 32) << (segment - 1)
  return (bits < 0x80 ? -magnitude : magnitude) << (A_IGNORED - 1)
}
