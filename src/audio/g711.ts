/**
 * G.711, the two companding laws of the telephone network, bit for bit as the ITU's reference software
 * (G.191) has them: a sample takes the code of the interval between two decision values that it falls into,
 * and a sample exactly on a decision value belongs to the interval above it.
 */

/** How many low bits of a sample each law does not look at. */
const MU_UNSEEN = 2
const A_UNSEEN = 4

const muValues = Int16Array.from({ length: 256 }, (_, code) => expandMu(code))
const aValues = Int16Array.from({ length: 256 }, (_, code) => expandA(code))
const muCodes = codeTable(MU_UNSEEN, compressMu)
const aCodes = codeTable(A_UNSEEN, compressA)

/** Samples to mu-law, the code of telephones in North America and Japan, and of Twilio. */
export function encodeMuLaw(samples: Int16Array): Uint8Array<ArrayBuffer> {
  return encode(samples, muCodes, MU_UNSEEN)
}

/** Mu-law to samples. */
export function decodeMuLaw(bytes: Uint8Array): Int16Array<ArrayBuffer> {
  return decode(bytes, muValues)
}

/** Samples to A-law, the code of telephones in the rest of the world. */
export function encodeALaw(samples: Int16Array): Uint8Array<ArrayBuffer> {
  return encode(samples, aCodes, A_UNSEEN)
}

/** A-law to samples. */
export function decodeALaw(bytes: Uint8Array): Int16Array<ArrayBuffer> {
  return decode(bytes, aValues)
}

function encode(samples: Int16Array, codes: Uint8Array, unseen: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(samples.length)
  const zero = codes.length >> 1
  for (let i = 0; i < samples.length; i++) bytes[i] = codes[(samples[i]! >> unseen) + zero]!
  return bytes
}

function decode(bytes: Uint8Array, values: Int16Array): Int16Array<ArrayBuffer> {
  const samples = new Int16Array(bytes.length)
  for (let i = 0; i < bytes.length; i++) samples[i] = values[bytes[i]!]!
  return samples
}

function codeTable(unseen: number, compress: (sample: number) => number): Uint8Array {
  const length = 65536 >> unseen
  return Uint8Array.from({ length }, (_, i) => compress((i - (length >> 1)) << unseen))
}

/** A code is sign, segment (3 bit) and step (4 bit), all inverted; 33 makes segments start at powers of 2. */
function compressMu(sample: number): number {
  const magnitude = Math.min(((sample < 0 ? ~sample : sample) >> MU_UNSEEN) + 33, 0x1fff)
  const segment = 26 - Math.clz32(magnitude)
  const step = (magnitude >> (segment + 1)) & 0x0f
  return ~((sample < 0 ? 0x80 : 0) | (segment << 4) | step) & 0xff
}

function expandMu(code: number): number {
  const segment = (~code >> 4) & 7
  const step = ~code & 0x0f
  const magnitude = ((step * 2 + 33) << segment) - 33
  return (code < 0x80 ? -magnitude : magnitude) << MU_UNSEEN
}

/** A code is sign, segment and step, every other bit inverted; the first two segments are one line. */
function compressA(sample: number): number {
  const magnitude = (sample < 0 ? ~sample : sample) >> A_UNSEEN
  const segment = Math.max(0, 28 - Math.clz32(magnitude))
  const step = (magnitude >> Math.max(0, segment - 1)) & 0x0f
  return ((sample < 0 ? 0 : 0x80) | (segment << 4) | step) ^ 0x55
}

function expandA(code: number): number {
  const bits = code ^ 0x55
  const segment = (bits >> 4) & 7
  const step = (bits & 0x0f) * 2 + 1
  const magnitude = segment === 0 ? step : (step + 32) << (segment - 1)
  return (bits < 0x80 ? -magnitude : magnitude) << (A_UNSEEN - 1)
}
