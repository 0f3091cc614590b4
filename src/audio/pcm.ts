/** Nearly every machine has its samples in memory as everybody sends them; on the others they are turned around. */
const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/** Samples as little-endian bytes, the way every transport and vendor carries PCM16. Always a copy. */
export function bytesFromSamples(samples: Int16Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(samples.length * 2)
  new Int16Array(bytes.buffer).set(samples)
  return littleEndian ? bytes : swapPairs(bytes)
}

/**
 * Little-endian bytes as samples. Always a copy: the bytes may start at an odd address, and they are often a
 * slice of a pool that one frame would keep alive. Half a sample at the end is left out; in a stream it
 * belongs to the next chunk, and {@link SampleReader} keeps it.
 */
export function samplesFromBytes(bytes: Uint8Array): Int16Array<ArrayBuffer> {
  const samples = new Int16Array(bytes.length >> 1)
  const own = new Uint8Array(samples.buffer)
  own.set(bytes.length === own.length ? bytes : bytes.subarray(0, own.length))
  if (!littleEndian) swapPairs(own)
  return samples
}

/** Turns the two bytes of every sample around, in their place. */
export function swapPairs<T extends Uint8Array>(bytes: T): T {
  for (let i = 0; i + 1 < bytes.length; i += 2) {
    const first = bytes[i]!
    bytes[i] = bytes[i + 1]!
    bytes[i + 1] = first
  }
  return bytes
}

/**
 * Reads samples from a stream of bytes that was cut anywhere, also in the middle of a sample. HTTP bodies
 * are: losing that one byte would turn the rest of the speech into noise.
 */
export class SampleReader {
  #half: number | undefined

  /** The samples that are complete with these bytes. */
  push(bytes: Uint8Array): Int16Array<ArrayBuffer> {
    const half = this.#half
    if (half === undefined) {
      this.#half = bytes.length % 2 === 1 ? bytes[bytes.length - 1] : undefined
      return samplesFromBytes(bytes)
    }
    if (bytes.length === 0) return new Int16Array(0)

    const whole = new Uint8Array(bytes.length + 1)
    whole[0] = half
    whole.set(bytes, 1)
    this.#half = undefined
    return this.push(whole)
  }

  /** Forgets half a sample that waits for its other half: the next byte starts a new stream. */
  clear(): void {
    this.#half = undefined
  }
}
