/** Nearly every machine is little-endian, like the wire; on others the bytes are swapped. */
const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/** Converts samples to little-endian bytes, as all transports and vendors carry PCM16. Always copies. */
export function bytesFromSamples(samples: Int16Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(samples.length * 2)
  new Int16Array(bytes.buffer).set(samples)
  return littleEndian ? bytes : swapPairs(bytes)
}

/** Like {@link bytesFromSamples}, but the bytes share the memory of the samples if they can: nobody may change either. */
export function sharedBytes(samples: Int16Array): Uint8Array {
  if (!littleEndian) return bytesFromSamples(samples)
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
}

/**
 * Converts little-endian bytes to samples. Always copies: the bytes may start at an odd address, and are often
 * a slice of a pool that one frame would keep alive. Drops half a sample at the end; in a stream it belongs to
 * the next chunk, and {@link SampleReader} keeps it.
 */
export function samplesFromBytes(bytes: Uint8Array): Int16Array<ArrayBuffer> {
  const samples = new Int16Array(bytes.length >> 1)
  const own = new Uint8Array(samples.buffer)
  own.set(bytes.length === own.length ? bytes : bytes.subarray(0, own.length))
  if (!littleEndian) swapPairs(own)
  return samples
}

/**
 * Like {@link samplesFromBytes}, for bytes that nobody will change: copies only if they start at an odd address, or are a
 * small slice of memory that the samples would keep alive.
 */
export function sharedSamples(bytes: Uint8Array): Int16Array {
  const { buffer, byteOffset, byteLength } = bytes
  if (!littleEndian || byteOffset % 2 === 1 || 2 * byteLength < buffer.byteLength)
    return samplesFromBytes(bytes)
  return new Int16Array(buffer, byteOffset, byteLength >> 1)
}

/** Swaps the two bytes of every sample, in place. */
export function swapPairs<T extends Uint8Array>(bytes: T): T {
  for (let i = 0; i + 1 < bytes.length; i += 2) {
    const first = bytes[i]!
    bytes[i] = bytes[i + 1]!
    bytes[i + 1] = first
  }
  return bytes
}

/**
 * Reads samples from a stream of bytes that may be cut in the middle of a sample, as HTTP bodies are. Losing that
 * one byte would turn the rest of the speech into noise.
 */
export class SampleReader {
  #half: number | undefined

  /** Returns the samples that these bytes complete. They may share memory with the bytes. */
  push(bytes: Uint8Array): Int16Array {
    const half = this.#half
    if (half === undefined) {
      this.#half = bytes.length % 2 === 1 ? bytes[bytes.length - 1] : undefined
      return sharedSamples(bytes)
    }
    if (bytes.length === 0) return new Int16Array(0)

    const whole = new Uint8Array(bytes.length + 1)
    whole[0] = half
    whole.set(bytes, 1)
    this.#half = undefined
    return this.push(whole)
  }

  /** Drops a pending half sample: the next byte starts a new stream. */
  clear(): void {
    this.#half = undefined
  }
}
